#include "tools/magi-code/loop/control_tool.h"

#include "libcommon/json/node.h"

namespace magi::code {

Result<ControlWish> read_control_call(std::string_view arguments) {
  json::Parser parser;
  const auto root = parser.parse(arguments);
  if (!root || !root->is(json::Kind::kObject))
    return make_error(ErrorCode::kUsage, "the arguments are not a JSON object");
  ControlWish wish;
  bool has_action = false;
  for (const json::Node::Member member : root->members()) {
    const auto text = member.value.as_string();
    if (!text) return make_error(ErrorCode::kUsage, quoted(member.key()), " must be a string");
    if (member.is("instructions")) {
      wish.instructions = *text;
    } else if (!member.is("action") || has_action) {
      return make_error(ErrorCode::kUsage, "unexpected argument ", quoted(member.key()));
    } else if (*text == "context_usage" || *text == "compact") {
      has_action = true;
      if (*text == "compact") wish.action = ControlWish::Action::kCompact;
    } else {
      return make_error(ErrorCode::kUsage, "action must be context_usage or compact");
    }
  }
  if (!has_action) return make_error(ErrorCode::kUsage, "action is missing: context_usage or compact");
  return wish;
}

}  // namespace magi::code
