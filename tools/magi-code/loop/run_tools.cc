// The calls of an answer: one dispatcher, one call after another, results in call order.
#include "tools/magi-code/loop/control_tool.h"
#include "tools/magi-code/loop/run.h"

namespace magi::code {
namespace {

// Why magi-tool wants the user's word before it runs the call; nothing where it does not.
std::optional<std::string> approval_reason(const event::ToolAnswer& answer) {
  if (answer.details.empty()) return std::nullopt;
  json::Parser parser;
  const auto details = parser.parse(answer.details.json);
  return details ? details->find("needs_approval").as_string() : std::nullopt;
}

}  // namespace

void Run::next_call() {
  state_ = State::kTools;
  if (answered_calls_ == calls_.size()) return after_tools();
  const event::ToolCall& call = calls_[answered_calls_];
  const auto cut = cut_calls_.find(call.call_id);
  if (!cancelled_ && cut == cut_calls_.end() && settings_.tool_names.contains(call.name)) return dispatch(call);
  event::ToolAnswer answer;
  answer.call_id = call.call_id;
  answer.result_id = new_result_id();
  answer.status = cancelled_ ? "cancelled" : "error";
  answer.output = cancelled_                ? "cancelled by the user before it ran"
                  : cut != cut_calls_.end() ? cut->second
                                            : "no tool named " + quoted(call.name) + " is offered in this run";
  answer.effects.json = kNoEffects;
  parts_.loop.post([this, answer = std::move(answer)]() mutable { settle_result(std::move(answer)); });
}

void Run::dispatch(const event::ToolCall& call) {
  if (call.name == kControlTool) return control(call);
  event::ToolCall sent = call;
  sent.request_id.clear();
  parts_.tools.call(std::move(sent),
                    {[this](const event::ToolProgress& progress) { parts_.sink.tool_progress(progress); },
                     [this](event::ToolAnswer answer) { on_result(std::move(answer)); }});
}

void Run::on_result(event::ToolAnswer answer) {
  const auto reason = approval_reason(answer);
  if (!reason || cancelled_ || !settings_.can_ask) return settle_result(std::move(answer));
  const event::ToolCall& call = calls_[answered_calls_];
  state_ = State::kApproval;
  awaiting_approval_ = std::move(answer);
  parts_.sink.approval_request({call.call_id, call.name, call.arguments, *reason});
}

void Run::approve(std::string_view call_id, bool allowed) {
  if (!awaits_approval(call_id)) return;
  auto refused = std::exchange(awaiting_approval_, std::nullopt);
  state_ = State::kTools;
  if (!allowed) {
    refused->output = "the user did not allow this call";
    refused->view.reset();
    return settle_result(*std::move(refused));
  }
  event::ToolCall call = calls_[answered_calls_];
  call.approved = true;
  dispatch(call);
}

void Run::nobody_answers() {
  settings_.can_ask = false;
  if (auto refused = std::exchange(awaiting_approval_, std::nullopt)) settle_result(*std::move(refused));
}

void Run::settle_result(event::ToolAnswer answer) {
  state_ = State::kTools;
  const bool last = answered_calls_ + 1 == calls_.size();
  const auto stored = record_result(answer, last ? session::Durability::kRequired : session::Durability::kBestEffort);
  if (!stored) record_unsaved_result(answer, stored.error());
  parts_.sink.tool_result(answer);
  if (!stored) return fail(stored.error());
  next_call();
}

void Run::after_tools() {
  calls_.clear();
  text_before_tools_ = answer_.text();
  answer_ = Answer();
  earlier_text_.clear();
  if (cancelled_) return end_unfinished("cancelled", std::nullopt, kExitInterrupted);
  settle_boundary(Boundary::kTools);
}

}  // namespace magi::code
