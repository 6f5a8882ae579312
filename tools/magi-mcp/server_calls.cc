// One call of a server, from its request to its outcome.
#include <algorithm>
#include <utility>

#include "libcommon/json/writer.h"
#include "tools/magi-mcp/server.h"

namespace magi::mcp {
namespace {

constexpr std::int64_t kPingMs = 5'000;

}  // namespace

void Server::call(std::string tool, std::string arguments, CallHandlers handlers) {
  open_ = Open{std::move(tool), std::move(arguments), std::move(handlers)};
  open_->timer = around_.loop.after(settings_.timeout_ms, [this] { call_late(); });
  if (state_ == State::kFailed)
    around_.loop.after(0, [this] {
      if (open_ && state_ == State::kFailed) call_ended(failed_call("server '" + name_ + "' is not running: " + why_));
    });
  else if (state_ == State::kReady)
    send_call();
  else if (state_ == State::kIdle)
    start();
}

void Server::send_call() {
  std::string params;
  json::Writer writer(params);
  const std::int64_t id = last_id_ + 1;
  writer.begin_object().key("name").string(open_->tool).key("arguments").raw(open_->arguments);
  const auto found =
      std::find_if(tools_.begin(), tools_.end(), [&](const RemoteTool& tool) { return tool.name == open_->tool; });
  if (found != tools_.end() && found->as_task)
    writer.key("task").begin_object().key("ttl").integer(settings_.timeout_ms).end_object();
  writer.key("_meta").begin_object().key("progressToken").integer(id).end_object().end_object();
  open_->id = id;
  ask("tools/call", params, 0, [this](const Message& answer) { call_answered(answer); });
}

void Server::call_answered(const Message& answer) {
  if (answer.kind == Message::Kind::kError) return call_ended(failed_call(one_line(answer.error)));
  if (const json::Node task = answer.result.find("task"); task && open_ && open_->task.empty()) return task_begun(task);
  Result<CallResult> result = read_call_result(answer.result);
  if (!result) return call_ended(failed_call("server '" + name_ + "': " + result.error().what));
  deaths_ = 0;
  call_ended({*std::move(result), {}});
}

// The answer to a call that runs as a task says which; its result is what the next answer holds, once there is one.
void Server::task_begun(const json::Node& task) {
  open_->task = task.find("taskId").as_string().value_or("");
  if (open_->task.empty()) return call_ended(failed_call("server '" + name_ + "': it began a task without a name"));
  std::string params;
  json::Writer(params).begin_object().key("taskId").string(open_->task).end_object();
  open_->id = ask("tasks/result", params, 0, [this](const Message& answer) { call_answered(answer); });
}

void Server::tell_cancelled(std::string_view reason) {
  if (open_->id == 0 || !channel_) return;
  std::string params;
  json::Writer writer(params);
  if (!open_->task.empty()) {
    writer.begin_object().key("taskId").string(open_->task).end_object();
    ask("tasks/cancel", params, kPingMs, [](const Message&) {});
    return;
  }
  writer.begin_object().key("requestId").integer(open_->id).key("reason").string(reason).end_object();
  channel_->send(notification("notifications/cancelled", params), 0);
}

void Server::call_ended(CallOutcome outcome) {
  if (!open_) return;
  Open done = *std::move(open_);
  open_.reset();
  around_.loop.cancel(done.timer);
  pending_.erase(done.id);
  if (channel_ && done.id != 0) channel_->forget(done.id);
  done.handlers.on_done(std::move(outcome));
}

void Server::cancel() {
  if (!open_) return;
  tell_cancelled("cancelled by the user");
  call_ended({std::nullopt, {CallFailure::Kind::kCancelled, "cancelled"}});
}

// Who does not answer a ping either is started anew, so that the next call finds a server that listens.
void Server::call_late() {
  if (!open_) return;
  const bool was_sent = open_->id != 0 && channel_;
  tell_cancelled("time limit");
  const std::string limit = std::to_string(settings_.timeout_ms) + " ms";
  call_ended({std::nullopt,
              {CallFailure::Kind::kTimedOut,
               was_sent ? "no result within " + limit + " (mcp_servers." + name_ + ".timeout_ms)"
                        : "server '" + name_ + "' was not ready within " + limit + (why_.empty() ? "" : ": " + why_)}});
  if (was_sent && channel_)
    ask("ping", "", kPingMs, [this](const Message& answer) {
      if (answer.kind == Message::Kind::kError && answer.code == 0)
        lost(make_error(ErrorCode::kUpstream, "it does not answer any more"));
    });
}

}  // namespace magi::mcp
