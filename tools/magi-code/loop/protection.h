// Requirements R8 and L8 while a session runs: the result of a protected tool is stored as `pending`, assessed, and its
// assessment stored, before the model is given any of it.  What the model then sees follows from the two records, live
// and replayed alike (libcommon/context/protection.h); nothing here decides that a second time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/config/settings.h"
#include "tools/magi-code/loop/journal.h"
#include "tools/magi-code/loop/sink.h"
#include "tools/magi-code/loop/tool_guard.h"
#include "tools/magi-code/stage/assess_stage.h"

namespace magi::code {

// Whose results are protected.  `tools` is the setting protection.tools.
class ProtectedTools {
 public:
  // `root` and `added`: the folders that files belong to.
  ProtectedTools(std::string_view tools, std::string root, std::vector<std::string> added);

  // kConfig-like reasons are left to the settings: a name that no tool has protects nothing.
  bool cover(const event::ToolCall& call) const;

 private:
  bool reaches_outside(const event::ToolCall& call) const;
  bool is_inside(std::string_view path) const;

  std::vector<std::string> names_;
  std::vector<std::string> folders_;
  bool web_ = false, mcp_ = false, bash_ = false, outside_ = false, files_ = false, all_ = false;
};

class Protection : public ToolGuard {
 public:
  // What it is given must outlive it.
  Protection(const config::ProtectionSettings& settings, ProtectedTools tools, Journal& journal, AssessStage& assessor,
             Sink& sink);

  void before_store(const event::ToolCall& call, event::ToolResultEvent& result) override;
  void after_store(const event::ToolCall& call, const event::ToolResultEvent& stored, Asker& asker,
                   std::function<void(Result<void>)> then) override;
  void cancel() override { assessor_.cancel(); }

 private:
  using Then = std::function<void(Result<void>)>;
  // The result that is being assessed.
  struct Open {
    event::ToolCall call;
    event::ToolResultAssessment assessment;
    std::string output;
    bool has_parts = false;
    Then then;
  };

  bool enforces() const { return settings_.policy != "warn"; }
  void on_answer(Result<event::AssessmentAnswer> answer, Asker& asker);
  void ask(const std::string& why, Asker& asker);
  void store();
  void warn(const std::string& text);

  const config::ProtectionSettings& settings_;
  ProtectedTools tools_;
  Journal& journal_;
  AssessStage& assessor_;
  Sink& sink_;
  Open open_;
  bool failure_told_ = false;  // where nothing is enforced once is enough
};

}  // namespace magi::code
