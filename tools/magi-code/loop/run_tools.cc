// The calls of an answer, one after another, each along the path that tool_guard.h describes.
#include "libcommon/event/hook_event.h"
#include "tools/magi-code/loop/control_tool.h"
#include "tools/magi-code/loop/run.h"
#include "tools/magi-code/permit/request.h"

namespace magi::code {
namespace {

// A host that never has enough is not asked for ever.
constexpr int kMostApprovals = 32;

}  // namespace

void Run::next_call() {
  state_ = State::kTools;
  if (answered_calls_ == calls_.size()) return after_tools();
  const event::ToolCall& call = current_call();
  if (cancelled_) return answer_unrun("cancelled", "cancelled by the user before it ran");
  if (const auto cut = cut_calls_.find(call.call_id); cut != cut_calls_.end())
    return answer_unrun("error", cut->second);
  if (!settings_.tool_names.contains(call.name))
    return answer_unrun("error", "no tool named " + quoted(call.name) + " is offered in this run");
  before_call(0);
}

// A result of ours for a call that was not run.
void Run::answer_unrun(std::string status, std::string output) {
  event::ToolAnswer answer;
  answer.call_id = current_call().call_id;
  answer.result_id = new_result_id();
  answer.status = std::move(status);
  answer.output = std::move(output);
  answer.effects.json = kNoEffects;
  state_ = State::kTools;
  parts_.loop.post([this, answer = std::move(answer)]() mutable { settle_result(std::move(answer)); });
}

void Run::before_call(std::size_t guard) {
  if (cancelled_) return answer_unrun("cancelled", "cancelled by the user before it ran");
  if (guard == parts_.guards.size()) {
    state_ = State::kTools;
    approvals_ = 0;
    return dispatch(current_call());
  }
  state_ = State::kGuard;
  guard_ = guard;
  parts_.guards[guard]->before_call(current_call(), [this, guard](ToolGuard::Before said) {
    take_context(said);
    if (said.refusal && !cancelled_) return answer_unrun("error", *std::move(said.refusal));
    before_call(guard + 1);
  });
}

void Run::dispatch(event::ToolCall call) {
  if (call.name == kControlTool) return control(call);
  call.request_id.clear();
  parts_.tools.call(std::move(call),
                    {[this](const event::ToolProgress& progress) { parts_.sink.tool_progress(progress); },
                     [this](event::ToolAnswer answer) { on_result(std::move(answer)); }});
}

void Run::on_result(event::ToolAnswer answer) {
  auto wanted = permit::wanted_approval(current_call(), answer, settings_.permissions.root());
  if (wanted && !cancelled_ && ++approvals_ <= kMostApprovals) {
    if (settings_.permissions.covers(wanted->subject)) return dispatch_approved();
    if (can_ask()) {
      ask(wanted->request, [this, refused = std::move(answer)](const Approval& approval) mutable {
        on_approval(std::move(refused), approval);
      });
      asked_->subject = std::move(wanted->subject);
      return;
    }
    answer.output = permit::refusal_text(answer, wanted->request);
    answer.view.reset();
  }
  settling_ = std::move(answer);
  after_call(0);
}

void Run::dispatch_approved() {
  event::ToolCall call = current_call();
  call.approved = true;
  dispatch(std::move(call));
}

void Run::on_approval(event::ToolAnswer refused, const Approval& approval) {
  if (approval.allowed() && !cancelled_) return dispatch_approved();
  if (cancelled_) {
    refused.status = "cancelled";
  } else if (approval.answered) {
    refused.output = "the user did not allow this call";
    if (!approval.reason.empty()) refused.output += ": " + approval.reason;
    refused.view.reset();
  }
  settling_ = std::move(refused);
  after_call(0);
}

void Run::ask(ApprovalRequest request, std::function<void(Approval)> then) {
  state_ = State::kApproval;
  asked_ = Asked{request, std::move(then), std::nullopt};
  parts_.sink.approval_request(request);
}

Result<void> Run::grant(const Asked& asked, Approval& approval) {
  if (!asked.subject) return {};
  if (approval.decision == Approval::Decision::kAllowSession) settings_.permissions.grant(*asked.subject);
  if (approval.decision != Approval::Decision::kAllowPattern) return {};
  if (approval.pattern.empty()) approval.pattern = asked.request.pattern;
  return settings_.permissions.grant(approval.pattern, *asked.subject);
}

Result<void> Run::approve(std::string_view call_id, Approval approval) {
  if (!awaits_approval(call_id)) return make_error(ErrorCode::kUsage, "no approval is asked for that call");
  MAGI_CHECK(grant(*asked_, approval));
  // Later, so that whoever answers can say so before anything follows from it.
  parts_.loop.post(
      [then = std::exchange(asked_, std::nullopt)->then, approval = std::move(approval)] { then(approval); });
  state_ = State::kTools;
  return {};
}

void Run::nobody_answers() {
  settings_.can_ask = false;
  if (!asked_) return;
  const auto asked = std::exchange(asked_, std::nullopt);
  state_ = State::kTools;
  asked->then({Approval::Decision::kDeny, {}, {}, false});
}

void Run::after_call(std::size_t guard) {
  if (guard == parts_.guards.size() || cancelled_) return settle_result(std::move(settling_));
  state_ = State::kGuard;
  guard_ = guard;
  parts_.guards[guard]->after_call(current_call(), settling_, [this, guard](ToolGuard::Before said) {
    take_context(said);
    after_call(guard + 1);
  });
}

void Run::settle_result(event::ToolAnswer answer) {
  state_ = State::kTools;
  settling_ = std::move(answer);
  const event::ToolCall& call = current_call();
  const bool last = answered_calls_ + 1 == calls_.size();
  const auto stored =
      record_result(call, settling_, last ? session::Durability::kRequired : session::Durability::kBestEffort);
  if (stored) return after_store(0);
  record_unsaved_result(call, settling_, stored.error());
  ++answered_calls_;
  parts_.sink.tool_result(settling_);
  fail(stored.error());
}

void Run::after_store(std::size_t guard) {
  if (guard == parts_.guards.size()) return deliver_result();
  state_ = State::kGuard;
  guard_ = guard;
  parts_.guards[guard]->after_store(current_call(), stored_, *this, [this, guard](const Result<void>& passed) {
    if (passed) return after_store(guard + 1);
    ++answered_calls_;
    parts_.sink.tool_result(settling_);
    state_ = State::kTools;
    fail(passed.error());
  });
}

void Run::deliver_result() {
  state_ = State::kTools;
  ++answered_calls_;
  parts_.sink.tool_result(settling_);
  next_call();
}

void Run::take_context(ToolGuard::Before& said) {
  if (!said.context.empty()) contexts_.emplace_back(std::move(said.context_source), std::move(said.context));
}

// Between a call and its result nothing may stand, so what guards have to say follows the last result.
Result<void> Run::store_contexts() {
  Entries entries;
  for (auto& [source, text] : std::exchange(contexts_, {})) {
    event::HookContextInjection context{std::move(text), std::move(source), turn_id_};
    entries.add(context);
  }
  if (entries.empty()) return {};
  MAGI_TRY([[maybe_unused]] const auto ids, parts_.journal.append(std::move(entries), session::Durability::kRequired));
  return {};
}

void Run::after_tools() {
  calls_.clear();
  text_before_tools_ = answer_.text();
  answer_ = Answer();
  earlier_text_.clear();
  if (const auto stored = store_contexts(); !stored) return fail(stored.error());
  if (cancelled_) return end_unfinished("cancelled", std::nullopt, kExitInterrupted);
  settle_boundary(Boundary::kTools);
}

}  // namespace magi::code
