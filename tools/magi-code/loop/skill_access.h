// Reads of skills: the user's stand outside the working directory and may be read all the same, since listing them was
// the user's word; and the result of a whole one says that it is the text of a skill, which lets a replay show the same
// text once (R10).
#pragma once

#include <string>

#include "tools/magi-code/loop/tool_dispatcher.h"
#include "tools/magi-code/loop/tool_guard.h"
#include "tools/magi-code/prompt/skills.h"

namespace magi::code {

class SkillAccess : public ToolDispatcher, public ToolGuard {
 public:
  // `inner` must outlive this.
  SkillAccess(ToolDispatcher& inner, Skills skills, std::string cwd)
      : inner_(inner), skills_(std::move(skills)), cwd_(std::move(cwd)) {}

  void prepare() override { inner_.prepare(); }
  void call(event::ToolCall call, ToolHandlers handlers) override;
  void cancel() override { inner_.cancel(); }

  void after_call(const event::ToolCall& call, event::ToolAnswer& answer, std::function<void(Before)> then) override;

  const Skills& skills() const { return skills_; }

 private:
  const Skill* read_by(const event::ToolCall& call) const;

  ToolDispatcher& inner_;
  Skills skills_;
  std::string cwd_;
};

}  // namespace magi::code
