// One server of tools: started, greeted, asked what it has, called; and started again, a few times, when it dies.  A
// server that hangs, floods, lies or dies costs the call that it was at.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/config/settings.h"
#include "libcommon/json/node.h"
#include "tools/magi-mcp/channel.h"
#include "tools/magi-mcp/definitions.h"
#include "tools/magi-mcp/http.h"
#include "tools/magi-mcp/result.h"
#include "tools/magi-mcp/rpc.h"

namespace magi::mcp {

// What all servers share.
struct Surroundings {
  Loop& loop;
  std::function<Result<Http*>()> http;                    // made when the first server needs it
  std::vector<std::string> environment;                   // of programs, before what settings add
  std::function<std::string(std::string_view)> variable;  // of ours, for ${NAME}; empty: not set
  std::string root;                                       // the workspace, absolute
  std::function<void(std::string)> on_remark;             // one line for the person
};

// How a call ended that has no result.
struct CallFailure {
  enum class Kind { kFailed, kTimedOut, kCancelled } kind = Kind::kFailed;
  std::string why;
};
struct CallOutcome {
  std::optional<CallResult> result;
  CallFailure failure;
};

CallOutcome failed_call(std::string why);
// What a server says, for people: control characters as blanks, bounded.
std::string one_line(std::string text);

class Server {
 public:
  enum class State { kIdle, kStarting, kReady, kWaiting, kFailed };

  Server(Surroundings& around, std::string name, const config::McpServerSettings& settings)
      : around_(around), name_(std::move(name)), settings_(settings) {}
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& name() const { return name_; }
  const config::McpServerSettings& settings() const { return settings_; }

  // Returns at once; what comes of it is seen in state().
  void start();
  State state() const { return state_; }
  const std::string& why() const { return why_; }                  // it is not ready
  const std::string& title() const { return title_; }              // "name version", as it says
  const std::vector<RemoteTool>& tools() const { return tools_; }  // once it has been ready
  // The list is there, or is there anew.
  void on_tools(std::function<void()> handler) { on_tools_ = std::move(handler); }

  // One call at a time.  `arguments`: JSON, an object.  `on_done` exactly once, never from inside call().
  struct CallHandlers {
    std::function<void(std::string text)> on_progress;
    std::function<void(CallOutcome)> on_done;
  };
  void call(std::string tool, std::string arguments, CallHandlers handlers);
  void cancel();

  // Announces stop(), without blocking.
  void hang_up() {
    if (channel_) channel_->hang_up();
  }
  // Ends it in good order; blocks for a moment at most.
  void stop();

 private:
  using Answer = std::function<void(const Message& answer)>;  // kResult or kError
  struct Pending {
    Answer on_answer;
    Loop::Token timer = 0;
  };
  struct Open {
    std::string tool, arguments;
    CallHandlers handlers;
    std::int64_t id = 0;    // 0: it was not sent yet
    std::string task = {};  // of a call that runs as one
    Loop::Token timer = 0;
    bool sent_again = false;
    int progress_shown = 0;
  };

  Result<std::unique_ptr<Channel>> connect();
  std::int64_t ask(std::string_view method, std::string_view params, std::int64_t limit_ms, Answer on_answer);
  void greeted(const Message& answer);
  void list(const std::string& cursor);
  void listed(const Message& answer);
  void become_ready();
  void send_call();
  void call_answered(const Message& answer);
  void task_begun(const json::Node& task);
  void tell_cancelled(std::string_view reason);
  void call_ended(CallOutcome outcome);
  void call_late();
  void on_message(std::string_view json);
  void take(const Message& message);
  void take_request(const Message& message);
  void take_notification(const Message& message);
  void on_failed(std::int64_t id, const Error& why);
  void lost(Error why);
  void drop_channel();
  void strange();

  Surroundings& around_;
  std::string name_;
  const config::McpServerSettings& settings_;
  State state_ = State::kIdle;
  std::string why_, title_;
  std::unique_ptr<Channel> channel_;
  std::vector<std::unique_ptr<Channel>> ended_;  // kept until none of their code is at work
  json::Parser parser_;
  std::map<std::int64_t, Pending> pending_;
  std::int64_t last_id_ = 0;
  std::vector<RemoteTool> tools_, listing_;
  int pages_ = 0;
  std::optional<Open> open_;
  std::function<void()> on_tools_;
  int deaths_ = 0;  // since a call succeeded
  std::int64_t strange_since_ns_ = 0;
  std::size_t strange_ = 0;  // messages that nobody asked for, or that are none
  Loop::Token restart_ = 0, relist_ = 0, sweep_ = 0;
};

// "a${NAME}b" with the variable's value.  kConfig: it is not set.
Result<std::string> with_variables(std::string_view text, const std::function<std::string(std::string_view)>& variable);

}  // namespace magi::mcp
