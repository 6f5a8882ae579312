// One call of a tool: what the tool is given and what it gives back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"
#include "tools/magi-tool/arguments.h"
#include "tools/magi-tool/effects.h"

namespace magi::toolbox {

struct Session;

enum class Status { kSuccess, kError, kCancelled, kTimedOut };

// A file as the model saw or left it: magi-code hands these to a later process, which then notices outside changes.
struct Seen {
  std::string path, sha256;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("path", self.path);
    v.required("sha256", self.sha256);
  }
};

// What the user is asked to allow, beside the reason.
struct WantedApproval {
  std::string kind, subject;  // "command", "write", "read", "web"; the command, the absolute path, the host
  bool unconfined = false;    // the call asks for a command to run without confinement
  std::optional<bool> runs_unconfined = {};  // of a command: nothing confines it if it is allowed
  std::string confinement = {};              // of a command: what is in force while it runs

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("kind", self.kind);
    v.required("subject", self.subject);
    v.optional("unconfined", self.unconfined);
    v.optional("runs_unconfined", self.runs_unconfined);
    v.optional("confinement", self.confinement);
  }
};

// `details` of a result (magi-tool(1)).
struct Details {
  std::optional<std::int64_t> exit_code;
  std::string signal;                                   // "SIGKILL"
  std::optional<std::string> stdout_text, stderr_text;  // bounded: the ends of each
  std::string job;                                      // the background job that was started or looked at
  bool left_running = false;                            // the command left processes in the background
  std::string needs_approval;                           // why; the same call with `approved` is executed
  std::optional<WantedApproval> approval;               // with `needs_approval`
  std::vector<Seen> observed;
  std::string provenance;  // where the output comes from: "workspace", "outside", "command", "web"

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("exit_code", self.exit_code);
    v.optional("signal", self.signal);
    v.optional("stdout", self.stdout_text);
    v.optional("stderr", self.stderr_text);
    v.optional("job", self.job);
    v.optional("left_running", self.left_running);
    v.optional("needs_approval", self.needs_approval);
    v.optional("approval", self.approval);
    v.optional("observed", self.observed);
    v.optional("provenance", self.provenance);
  }
};

namespace provenance {
inline constexpr std::string_view kWorkspace = "workspace";
inline constexpr std::string_view kOutside = "outside";
inline constexpr std::string_view kCommand = "command";
inline constexpr std::string_view kWeb = "web";
}  // namespace provenance

// What a tool returns.  `output` may hold any bytes: they are made valid, visible and free of secrets before they
// leave.
struct Outcome {
  Status status = Status::kSuccess;
  std::string output;
  std::int64_t omitted_bytes = 0;
  std::string remark;  // a line that the model is shown behind the output, not part of it
  std::vector<event::Part> parts;
};

// What a tool is given.  It writes `details` and `effects` as it goes, so that they hold for a failed call too.
struct Call {
  Session& session;
  const Arguments& arguments;
  bool approved = false;                           // by the user, beyond what the mode allows
  std::vector<Seen> observed;                      // what the model has seen, as the caller knows it
  std::function<bool()> cancelled;                 // cheap; long work asks it every few milliseconds
  std::function<void(std::string_view)> progress;  // output so far, in whole lines
  Details details;
  Effects effects;
  std::string call_id, turn_id;  // of the record; `turn_id` may be empty
  std::string remark;            // becomes the outcome's, where that has none
};

// An error is shown to the model as the result, status `error`.
using Handler = Result<Outcome> (*)(Call&);

struct Tool {
  std::string_view name;
  std::string_view description;  // a model pays for every word, in every request
  std::span<const Parameter> parameters;
  std::string_view plain_argument;  // what plain text stands for when a person calls it; empty: nothing
  Handler run;
};

// Every tool, in the order of --list.
std::span<const Tool> all_tools();
const Tool* find_tool(std::string_view name);

}  // namespace magi::toolbox
