#include "tools/magi-code/front/control.h"

#include "tools/magi-code/permit/request.h"

namespace magi::code {
namespace {

namespace name = event::name;

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

}  // namespace

void Control::on_line(const InputLine& line) {
  if (!line.text) return refuse({}, "the line is too long");
  if (is_blank(*line.text)) return;
  json::Parser parser;
  const auto root = parser.parse(*line.text);
  Action action;
  const auto parsed = root ? event::parse_fields(*root, action) : Result<void>(root.error());
  if (!parsed) return refuse(action, parsed.error().what);
  take(action);
}

void Control::take(const Action& action) {
  if (action.type == name::kPrompt) {
    if (is_blank(action.text)) return refuse(action, "the prompt is empty");
    if (run_.active()) return refuse(action, "a turn is running: steer it, or cancel it first");
    accept(action);
    return start_({action.text, {}, "user", {}, action.id});
  }
  if (action.type == name::kSteer) {
    if (is_blank(action.text)) return refuse(action, "the text is empty");
    if (!run_.active()) return refuse(action, "no turn is running");
    accept(action);
    return run_.steer({action.text, {}, "steering", {}, action.id});
  }
  if (action.type == name::kRecall) return recall(action);
  if (action.type == name::kCancel) {
    if (!run_.active()) return refuse(action, "no turn is running");
    accept(action);
    return run_.cancel();
  }
  if (action.type == name::kApprove) {
    auto approval = permit::approval_of(action.decision, action.pattern, action.reason);
    if (!approval) return refuse(action, approval.error().what);
    if (!run_.awaits_approval(action.call_id)) return refuse(action, "no approval is asked for that call");
    if (const auto taken = run_.approve(action.call_id, *std::move(approval)); !taken)
      return refuse(action, taken.error().what);
    return accept(action);
  }
  refuse(action, "unknown action " + quoted(action.type));
}

// The `id` of a recall is that of the steer action it takes back; without one it is the newest.
void Control::recall(const Action& action) {
  auto prompt = run_.recall(action.id);
  if (!prompt) return refuse(action, "that input is not waiting");
  accept(action, prompt->text);
}

}  // namespace magi::code
