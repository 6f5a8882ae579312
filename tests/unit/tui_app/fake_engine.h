// What an engine would tell, without one: it obeys the interface's commands as the real one does and keeps its own view
// of what waits, runs and is asked, for comparison.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "tools/magi-code/tui/app/reduce.h"

namespace magi::code::tui::test {

class FakeEngine {
 public:
  // Takes what the interface asked for.
  void obey(const Requests& requests) {
    for (const Request& request : requests)
      if (const auto* command = std::get_if<EngineCommand>(&request))
        std::visit([this](const auto& wish) { take(wish); }, *command);
  }
  std::vector<EngineEvent> events() { return std::exchange(events_, {}); }

  // --- What happens by itself ---
  void open() {
    SessionOpened opened;
    opened.id = "s" + std::to_string(++sessions_);
    opened.provider = "fake", opened.model = "fake-model", opened.permissions = "ask", opened.cwd = "/repo";
    opened.stored = true;
    tell(std::move(opened));
    open_ = true;
    for (const Input& input : std::exchange(early_, {})) take(input);
  }
  void fail_to_open() {
    tell(OpenFailed{"no key", "/login"});
    for (const Input& input : std::exchange(early_, {})) tell(Undelivered{input.text, input.action_id});
  }
  void say(std::string text) { tell(TextDelta{std::move(text)}); }
  void call(std::string name, std::string arguments) {
    event::ToolCall call;
    call.call_id = "c" + std::to_string(++calls_);
    call.name = std::move(name);
    call.arguments = std::move(arguments);
    open_call_ = call.call_id;
    tell(std::move(call));
  }
  void progress(std::string text) {
    event::ToolProgress progress;
    progress.call_id = open_call_;
    progress.text = std::move(text);
    tell(std::move(progress));
  }
  void result(std::string output) {
    event::ToolAnswer answer;
    answer.call_id = answer.result_id = open_call_;
    answer.status = "success";
    answer.output = std::move(output);
    asked_.clear();
    tell(std::move(answer));
    open_call_.clear();
    deliver();
  }
  void ask() {
    ApprovalRequest request;
    request.call_id = asked_ = open_call_;
    request.name = "bash";
    request.kind = "command";
    request.command = "rm -rf build";
    request.pattern = "bash(rm -rf build)";
    tell(std::move(request));
  }
  void end(std::string status) {
    for (const Input& input : std::exchange(steering_, {})) tell(Undelivered{input.text, input.action_id});
    active_ = false;
    open_call_.clear();
    asked_.clear();
    tell(TurnRecord{"t" + std::to_string(turns_), status});
    tell(RunEnded{std::move(status), {}});
  }

  bool is_open() const { return open_; }
  bool active() const { return active_; }
  bool compacting() const { return compacting_; }
  const std::string& open_call() const { return open_call_; }
  const std::string& asked() const { return asked_; }
  const std::deque<Input>& steering() const { return steering_; }
  void close() { open_ = false; }

 private:
  template <class Event>
  void tell(Event event) {
    events_.push_back(EngineEvent(std::move(event)));
  }
  void deliver() {
    for (const Input& input : std::exchange(steering_, {})) tell_delivered(input.action_id);
  }
  void tell_delivered(const std::string& id) {
    Delivered delivered;
    delivered.id = id;
    tell(std::move(delivered));
  }

  void take(const Input& input) {
    if (!open_) return early_.push_back(input);
    if (active_ || compacting_) return steering_.push_back(input);
    active_ = true;
    tell(TurnRecord{"t" + std::to_string(++turns_), "started"});
    tell_delivered(input.action_id);
  }
  void take(const Recall&) {
    if (steering_.empty()) return tell(Recalled{{}, {}, false});
    tell(Recalled{steering_.back().action_id, steering_.back().text, true});
    steering_.pop_back();
  }
  void take(const Interrupt&) {
    if (active_) end("cancelled");
  }
  void take(const AnswerApproval& answer) {
    if (asked_.empty() || asked_ != answer.call_id) return;
    asked_.clear();
  }
  void take(const Compact&) { tell(RunEnded{}); }
  void take(const Measure&) { tell(ContextReport{1000, 128'000, 111'616, 102'400, 0.8, "exact"}); }
  void take(const OpenSession&) {
    open_ = false;
    active_ = false;
    open();
  }
  void take(const ChooseModel&) { open(); }
  void take(const RewindTo&) {}
  void take(const RenameSession&) {}
  void take(const ReloadSettings&) { open(); }
  void take(const RecordDiagnostic&) {}

  std::vector<EngineEvent> events_;
  std::deque<Input> steering_, early_;
  std::string open_call_, asked_;
  bool open_ = false, active_ = false, compacting_ = false;
  int sessions_ = 0, turns_ = 0, calls_ = 0;
};

}  // namespace magi::code::tui::test
