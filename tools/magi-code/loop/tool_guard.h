// The path of every tool call (issue 9), as steps that anything may hang itself into:
//
//   known? -> before_call of each guard -> permission (magi-tool, allow rules, the user) -> run -> after_call of each
//   -> before_store of each -> stored -> after_store of each -> delivered
//
// A step may take its time: it says that it has ended by calling `then`, exactly once, at once or later from the loop.
// Steps of one call never overlap, and guards are asked in the order in which they were given to the run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/event/answers.h"
#include "libcommon/event/session_event.h"
#include "tools/magi-code/loop/run_records.h"

namespace magi::code {

// The user's word on what was asked.
struct Approval {
  enum class Decision {
    kAllow,         // this once
    kAllowSession,  // this, whenever it comes again in this session
    kAllowPattern,  // whatever `pattern` covers, in this session
    kDeny,
  };
  Decision decision = Decision::kDeny;
  std::string pattern = {};  // a rule as in permissions.allow
  std::string reason = {};   // of a refusal; the model reads it
  bool answered = true;      // false: nobody could be asked, or the run was cancelled meanwhile

  bool allowed() const { return decision != Decision::kDeny; }
};

// How a step asks the user something about the call that it is at.
class Asker {
 public:
  virtual ~Asker() = default;
  virtual bool can_ask() const = 0;
  virtual bool cancelled() const = 0;
  // `then` is called from the loop, also when nobody can be asked any more; one request is open at a time.
  virtual void ask(ApprovalRequest request, std::function<void(Approval)> then) = 0;
};

class ToolGuard {
 public:
  struct Before {
    std::optional<std::string> refusal;  // the call is not run; the model reads why
    std::string context;                 // text for the model, delivered with the results
    std::string context_source;          // who gives it
  };
  using Then = std::function<void()>;

  virtual ~ToolGuard() = default;

  // A known call is about to be run; nothing has been asked yet.
  virtual void before_call(const event::ToolCall& /*call*/, std::function<void(Before)> then) { then({}); }
  // It has run, or was refused by magi-tool or the user.  `answer` may be changed until `then`; context as above.
  virtual void after_call(const event::ToolCall& /*call*/, event::ToolAnswer& /*answer*/,
                          std::function<void(Before)> then) {
    then({});
  }
  // What is stored, before it is: the place to mark it as `pending`.  Every result comes by, also of calls that were
  // not run.
  virtual void before_store(const event::ToolCall& /*call*/, event::ToolResultEvent& /*result*/) {}
  // It is stored, with masks and all, perhaps of a run that is cancelled already.  The model is given nothing before
  // `then`; an error ends the turn.
  virtual void after_store(const event::ToolCall& /*call*/, const event::ToolResultEvent& /*stored*/, Asker& /*asker*/,
                           std::function<void(Result<void>)> then) {
    then({});
  }
  // The run is cancelled while a step of this guard is under way: end it, and call its `then` soon.
  virtual void cancel() {}
};

}  // namespace magi::code
