#include "tools/magi-code/loop/skill_access.h"

#include "libcommon/digest/sha256.h"
#include "libcommon/json/node.h"
#include "libcommon/json/writer.h"

namespace magi::code {
namespace {

constexpr std::string_view kRead = "read", kProvenance = "provenance";

// `details` with another provenance.
std::string with_provenance(const std::string& details, const Skill& skill, const std::string& text) {
  std::string json;
  json::Writer out(json);
  out.begin_object();
  json::Parser parser;
  if (const auto root = parser.parse(details.empty() ? "{}" : std::string_view(details)))
    for (const json::Node::Member member : root->members())
      if (!member.is(kProvenance)) out.key(member.key()).raw(member.value.raw());
  out.key(kProvenance).begin_object();
  out.key("kind").string("skill").key("name").string(skill.name);
  out.key("source").string(skill.of_project ? "project" : "user");
  out.key("path").string(skill.path).key("sha256").string(sha256_hex(text));
  out.end_object().end_object();
  return json;
}

}  // namespace

// Nothing where the call reads anything else besides.
const Skill* SkillAccess::read_by(const event::ToolCall& call) const {
  if (call.name != kRead || skills_.list.empty()) return nullptr;
  json::Parser parser;
  const auto arguments = parser.parse(call.arguments);
  if (!arguments || arguments->find("paths")) return nullptr;
  const auto path = arguments->find("path").as_string();
  return path ? skill_at(skills_, *path, cwd_) : nullptr;
}

void SkillAccess::call(event::ToolCall call, ToolHandlers handlers) {
  if (const Skill* const skill = read_by(call); skill && !skill->of_project) call.approved = true;
  inner_.call(std::move(call), std::move(handlers));
}

void SkillAccess::after_call(const event::ToolCall& call, event::ToolAnswer& answer, std::function<void(Before)> then) {
  const Skill* const skill = answer.status == "success" ? read_by(call) : nullptr;
  if (skill) answer.details.json = with_provenance(answer.details.json, *skill, answer.view.value_or(answer.output));
  then({});
}

}  // namespace magi::code
