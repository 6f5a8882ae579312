// The hooks of a session (magi-settings(5), HOOKS): run one after another, their word taken, what became of them
// recorded.  As a guard it stands before and after each tool call.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/config/settings.h"
#include "tools/magi-code/hook/hook_process.h"
#include "tools/magi-code/loop/journal.h"
#include "tools/magi-code/loop/sink.h"
#include "tools/magi-code/loop/tool_guard.h"

namespace magi::code {

struct HookSetup {
  std::map<std::string, config::HookSettings> hooks;
  std::string cwd;
  std::vector<std::string> environment;  // without keys
  std::string shell = "/bin/bash";
};

class Hooks : public ToolGuard {
 public:
  Hooks(EventLoop& loop, HookSetup setup, Journal& journal);

  // Who is told of what goes wrong; none until then.
  void tell(Sink* sink) { sink_ = sink; }
  bool any() const { return !hooks_.empty(); }

  void before_call(const event::ToolCall& call, std::function<void(Before)> then) override;
  void after_call(const event::ToolCall& call, event::ToolAnswer& answer, std::function<void(Before)> then) override;
  void cancel() override;

  void session_start();
  void after_message(std::string_view text);
  void session_end(std::string_view status);
  // Stores what could not be stored before the session began.
  void flush();
  // Nothing runs or waits any more.
  bool idle() const { return jobs_.empty(); }

  // Text of hooks for the model that no results carry: {hook, text}.  Given once.
  std::vector<std::pair<std::string, std::string>> take_contexts() { return std::exchange(contexts_, {}); }

 private:
  using Named = std::pair<std::string, config::HookSettings>;
  // All hooks of one event, one after another.
  struct Job {
    std::string event, input;
    std::vector<const Named*> hooks;
    std::string call_id, turn_id;
    std::function<void(Before)> then;  // empty: nobody waits
    std::size_t at = 0;
    Before said = {};
    bool cancelled = false;
  };

  void add(Job job);
  std::vector<const Named*> matching(std::string_view event, std::string_view tool) const;
  std::string input_of(std::string_view event) const;
  void run_next();
  void finish_job();
  void on_end(HookEnd ended);
  void fail(const Named& hook, const std::string& why);
  void take_word(const Named& hook, const std::string& output);
  void record(const Named& hook, std::string_view outcome, const HookEnd* ended = nullptr);

  HookSetup setup_;
  Journal& journal_;
  Sink* sink_ = nullptr;
  std::vector<Named> hooks_;
  std::deque<Job> jobs_;
  HookProcess process_;
  bool failed_ = false;  // the hook that has just ended
  Entries unstored_;     // of hooks that ran before there was a session to hold it
  std::vector<std::pair<std::string, std::string>> contexts_;
};

}  // namespace magi::code
