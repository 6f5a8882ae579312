// One run of the agent: a user input, then request, stream, tools and continuation until the model is done (L1-L4,
// R16-R18).  Everything it owns or refers to is given to it; there is no process-wide state, so several can live at
// once.
//
// What is guaranteed: an input is durable before it is sent; an answer's text and calls are durable before its tools
// run; results are durable before the model sees them; what the session holds and what memory holds say the same.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tools/magi-code/loop/answer.h"
#include "tools/magi-code/loop/calibration.h"
#include "tools/magi-code/loop/compaction_policy.h"
#include "tools/magi-code/loop/decisions.h"
#include "tools/magi-code/loop/journal.h"
#include "tools/magi-code/loop/memory_guard.h"
#include "tools/magi-code/loop/projected_request.h"
#include "tools/magi-code/loop/sink.h"
#include "tools/magi-code/loop/steering.h"
#include "tools/magi-code/loop/tool_dispatcher.h"
#include "tools/magi-code/loop/tool_guard.h"
#include "tools/magi-code/permit/permissions.h"
#include "tools/magi-code/stage/compact_stage.h"
#include "tools/magi-code/stage/provider_stage.h"
#include "tools/magi-code/stage/token_stage.h"

namespace magi::code {

struct RunSettings {
  std::string instructions;
  std::string tools_json;                      // array of definitions; empty: none are offered
  std::unordered_set<std::string> tool_names;  // those of `tools_json`
  event::SessionPreferences preferences;       // recorded with the first input
  std::vector<std::string> known_call_ids;     // of the history
  std::int64_t max_requests = 0;               // of one input; 0: no bound
  std::int64_t max_tokens_total = 0;           // reported input and output of the run; 0: no bound
  std::int64_t max_compactions = 4;            // of one input; 0: no bound
  bool can_ask = false;                        // someone can answer an approval request
  permit::Permissions permissions;             // what is allowed without asking, beyond the mode of magi-tool
  // Text that goes with the next input, {source, text}; empty: there never is any.
  std::function<std::vector<std::pair<std::string, std::string>>()> take_contexts;
  // Replaces tags in what a person said, when it begins a turn or is consumed as steering (L5); empty: nothing does.
  std::function<void(UserPrompt&)> expand_tags;
};

// The `request` record that such a run sends; its identifiers are the run's to fill in.
event::Request request_of(const RunSettings& settings);

struct RunParts {
  EventLoop& loop;
  ProviderStage& provider;
  ToolDispatcher& tools;
  TokenStage& tokens;
  Journal& journal;
  MemoryGuard& memory;
  CompactStage& compactor;
  Sink& sink;
  Decisions& decisions;
  std::vector<ToolGuard*> guards = {};  // of every tool call, in this order; they outlive the run
};

struct Outcome {
  std::string status;  // completed, failed, cancelled
  std::string text;    // the last answer's
  std::optional<event::ErrorInfo> error;
  int exit_status = kExitOk;
};

class Run : private Asker {
 public:
  Run(RunParts parts, RunSettings settings);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // `on_end` is called once, from the loop.  Requires: !active().
  void start(UserPrompt prompt, std::function<void(Outcome)> on_end);
  bool active() const { return state_ != State::kIdle; }
  // Compacts the session without an input; `on_end` as in start().  Requires: !active().
  void compact_now(std::string instructions, std::function<void(Outcome)> on_end);
  // Counts what the next request would carry so far.  Requires: no request is being counted.
  void measure(std::function<void(Result<TokenReport>)> on_report);

  // Waits for the next boundary.  Requires: active().
  void steer(UserPrompt prompt) { steering_.push(std::move(prompt)); }
  std::optional<UserPrompt> recall(std::string_view action_id) { return steering_.recall(action_id); }
  // Ends the turn at once; what has been accepted is kept.  `error` says why where it was not the user.
  void cancel(std::optional<Error> error = std::nullopt);
  // From now on no approval can be given: what waits for one is refused, and so is what would ask.
  void nobody_answers();
  bool awaits_approval(std::string_view call_id) const { return asked_ && asked_->request.call_id == call_id; }
  // Answers the open approval request.  Requires: awaits_approval(call_id).  An error, and the request stays open,
  // where the pattern is no rule or does not cover the call.
  Result<void> approve(std::string_view call_id, Approval approval);

  const UsageTotals& usage() const { return usage_; }

 private:
  enum class State { kIdle, kRecalling, kCounting, kCompacting, kRequesting, kTools, kGuard, kApproval };
  // Of the turn: whether it has been announced, and whether the session holds its beginning without its end.
  enum class TurnState { kNone, kAnnounced, kStored };
  using Boundary = CompactionPolicy::Boundary;
  using OnProjected = std::function<void(const Verdict&, const std::string& stream)>;

  // run.cc: the turn
  void begin_turn();
  void store_input();
  event::Request next_request() const;
  void settle_tags(UserPrompt& prompt);
  Result<void> append_input(UserPrompt& prompt);
  bool deliver_steering();
  void send_request(std::string_view continuation = {});
  void send_known(std::string_view continuation);
  void send(const Verdict& verdict, const std::string& request_id, std::shared_ptr<const std::string> stream);
  std::optional<Error> reached_limit() const;
  void on_record(const ProviderRecord& record);
  void on_text(const event::Text& text);
  void on_tool_progress(const event::ToolProgress& progress);
  void on_call(const event::ToolCall& said);
  void on_usage(const event::Usage& usage);
  void on_done(const event::Done& done);
  void settle_answer();
  bool take_cut_calls(std::string_view why);
  void on_error(const event::ProviderError& error);
  void continue_after_cut(const event::ProviderError& error);
  void complete(Entries entries);
  void fail(const Error& error);
  void end_unfinished(std::string_view status, std::optional<event::ErrorInfo> error, int exit_status);
  void finish(std::string_view status, std::optional<event::ErrorInfo> error, int exit_status);

  // run_record.cc: what is stored
  void record_segments(Entries& entries, std::string_view status);
  void record_accounting(Entries& entries);
  Result<void> record_result(const event::ToolCall& call, const event::ToolAnswer& answer,
                             session::Durability durability);
  void record_unsaved_result(const event::ToolCall& call, const event::ToolAnswer& answer, const Error& why);
  void cancel_open_calls(Entries& entries);
  std::string new_result_id() { return run_id_ + "-" + std::to_string(++own_results_); }

  // run_compaction.cc: what fits, and what follows where it does not
  bool can_compact();
  bool is_child();
  Projection projection_of(const Verdict& verdict, std::size_t bytes) const;
  void project(const std::vector<event::User>& extras, OnProjected then);
  void check_input();
  void check_input_alone();
  void check_input_again();
  std::vector<event::User> waiting_input(Boundary boundary);
  void settle_boundary(Boundary boundary);
  void tell_due(const Projection& next, bool can_compact);
  void go_on(Boundary boundary);
  void resume_compacted(Boundary boundary);
  void compact(CompactionWish wish, std::function<void()> then);
  void on_compacted(CompactionRecord record, Result<CompactionReport> report, const std::function<void()>& then);
  void account(const CompactionReport& report);

  // run_context.cc
  void control(const event::ToolCall& call);

  // run_tools.cc: the calls of an answer, one after another
  struct Asked {
    ApprovalRequest request;
    std::function<void(Approval)> then;
    std::optional<permit::Subject> subject;  // what a grant would be of; nothing where none can be given
  };
  const event::ToolCall& current_call() const { return calls_[answered_calls_]; }
  void next_call();
  void answer_unrun(std::string status, std::string output);
  void before_call(std::size_t guard);
  void dispatch(event::ToolCall call);
  void on_result(event::ToolAnswer answer);
  void on_approval(event::ToolAnswer refused, const Approval& approval);
  void dispatch_approved();
  Result<void> grant(const Asked& asked, Approval& approval);
  void after_call(std::size_t guard);
  void settle_result(event::ToolAnswer answer);
  void after_store(std::size_t guard);
  void deliver_result();
  void take_context(ToolGuard::Before& said);
  Result<void> store_contexts();
  bool can_ask() const override { return settings_.can_ask && !cancelled_; }
  bool cancelled() const override { return cancelled_; }
  void ask(ApprovalRequest request, std::function<void(Approval)> then) override;
  void after_tools();

  RunParts parts_;
  RunSettings settings_;
  State state_ = State::kIdle;
  std::function<void(Outcome)> on_end_;
  SteeringQueue steering_;

  std::string run_id_, turn_id_;
  std::int64_t turn_number_ = 0, request_sequence_ = 0, requests_of_input_ = 0;
  bool preferences_recorded_ = false, told_due_ = false;
  bool continued_ = false;  // the one continuation of this input has been used (R16)
  bool cancelled_ = false;
  std::optional<Error> cancel_reason_;
  TurnState turn_ = TurnState::kNone;
  std::optional<UserPrompt> input_;  // not stored yet

  CompactionPolicy policy_;
  UsageCalibration calibration_;
  ProjectedRequest projected_;
  std::optional<std::string> wanted_;  // instructions of the compaction that the model has asked for

  Answer answer_;
  std::string earlier_text_;                // of this answer, before its continuation
  bool secret_was_cut_ = false;             // the stored text ends where a secret may go on
  std::string text_before_tools_;           // of the last answer that called tools
  std::vector<event::Usage> answer_usage_;  // one an attempt that the server counted
  event::Trace answer_trace_;
  std::string provider_model_;
  std::unordered_set<std::string> call_ids_;
  std::map<std::string, std::string> cut_calls_;  // by ID: why they were not whole, and so are not run
  int cut_answers_ = 0;                           // in a row

  std::vector<event::ToolCall> calls_;
  std::int64_t own_results_ = 0;  // results made here rather than by a tool
  std::size_t answered_calls_ = 0;
  std::size_t guard_ = 0;                                      // whose step is under way, in state kGuard
  event::ToolAnswer settling_;                                 // the result that goes through the steps
  event::ToolResultEvent stored_;                              // the same as it was stored
  int approvals_ = 0;                                          // of the call that is at work
  std::optional<Asked> asked_;                                 // the open approval request
  std::vector<std::pair<std::string, std::string>> contexts_;  // {source, text} for the model, with these results
  UsageTotals usage_;
};

}  // namespace magi::code
