#include "tools/magi-mcp/serve.h"

#include <unistd.h>

#include <cerrno>
#include <deque>

#include "libcommon/base/clock.h"
#include "libcommon/base/shown_text.h"
#include "libcommon/event/stream.h"
#include "libcommon/os/io.h"
#include "libcommon/os/signals.h"
#include "libcommon/session/mask.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-mcp/answer.h"

namespace magi::mcp {
namespace {

constexpr std::size_t kLongestLine = 64u << 20;
constexpr std::int64_t kLookMs = 200;
constexpr std::int64_t kNoteEveryNs = 100'000'000;

class Service {
 public:
  Service(Host& host, const ServeOptions& options, os::StopSignals signals)
      : host_(host), options_(options), signals_(std::move(signals)) {}
  Result<int> run();

 private:
  void read_input();
  Result<void> take(std::string_view line);
  void cancel(const std::string& call_id);
  void next();
  void answer(CallOutcome outcome);
  void progress(const std::string& text);
  void offer();
  void watch_reader();

  Host& host_;
  ServeOptions options_;
  os::StopSignals signals_;
  tool::Stdout out_{tool::ReaderGone::kReport};
  os::LineSplitter lines_{kLongestLine};
  json::Parser parser_;
  Loop::Token input_ = 0;
  std::deque<event::ToolCall> waiting_;
  bool at_end_ = false, busy_ = false, reader_is_gone_ = false;
  std::optional<Error> error_;
  CallDetails details_;
  CallEffects effects_;
  std::int64_t started_ns_ = 0, noted_ns_ = 0;
  Server* asked_ = nullptr;  // by the present call
};

void Service::read_input() {
  constexpr std::size_t kBytes = 64 * 1024;
  const ssize_t got = ::read(STDIN_FILENO, lines_.prepare(kBytes), kBytes);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got > 0) lines_.commit(static_cast<std::size_t>(got));
  Result<void> taken;
  while (taken) {
    const auto line = lines_.next();
    if (!line) {
      taken = line.error();
    } else if (*line) {
      taken = take(**line);
    } else {
      break;
    }
  }
  if (got <= 0 && taken)
    if (const auto rest = lines_.rest()) taken = take(*rest);
  if (!taken) error_ = make_error(ErrorCode::kBadRecord, "stdin: ", taken.error().what);
  at_end_ = got <= 0 || error_;
  if (at_end_) {
    host_.loop().unwatch(input_);
    watch_reader();
  }
  next();
}

// Who has closed our input may still want what it asked for; a host that is dead reads no more.
void Service::watch_reader() {
  pollfd out{STDOUT_FILENO, 0, 0};
  reader_is_gone_ = ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
  if (!reader_is_gone_) host_.loop().after(kLookMs, [this] { watch_reader(); });
}

Result<void> Service::take(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
  MAGI_TRY(const json::Node record, parser_.parse(line));
  const auto type = event::record_type(record);
  if (!type) return make_error(ErrorCode::kBadRecord, "not a record: no 'type'");
  if (*type == event::ToolCall::kType) {
    MAGI_TRY(event::ToolCall call, event::parse_record<event::ToolCall>(record));
    waiting_.push_back(std::move(call));
  } else if (*type == event::Cancel::kType) {
    MAGI_TRY(const event::Cancel cancelled, event::parse_record<event::Cancel>(record));
    cancel(cancelled.call_id);
  }
  return {};
}

void Service::cancel(const std::string& call_id) {
  for (std::size_t at = busy_ ? 1 : 0; at < waiting_.size(); ++at)
    if (waiting_[at].call_id == call_id) waiting_[at].name.clear();  // answered without being run
  if (busy_ && waiting_.front().call_id == call_id && asked_) asked_->cancel();
}

// The call at the front, while it runs.
void Service::next() {
  if (busy_ || waiting_.empty()) return;
  busy_ = true;
  asked_ = nullptr;
  started_ns_ = monotonic_ns();
  details_ = {};
  effects_ = {};
  const event::ToolCall& call = waiting_.front();
  const auto refuse = [&](std::string why) { answer({std::nullopt, {CallFailure::Kind::kFailed, std::move(why)}}); };
  if (call.name.empty()) return answer({std::nullopt, {CallFailure::Kind::kCancelled, "cancelled before it began"}});
  const Names::Target* const target = host_.target(call.name);
  Server* const server = target ? host_.find(target->server) : nullptr;
  if (!server) return refuse("no tool " + quoted(call.name));
  details_.server = target->server;
  details_.tool = target->tool;
  json::Parser parser;
  const auto arguments = parser.parse(call.arguments.empty() ? "{}" : call.arguments);
  if (!arguments) return refuse("the arguments are not valid JSON: " + arguments.error().what);
  if (!arguments->is(json::Kind::kObject)) return refuse("the arguments are not a JSON object");
  if (std::string why = approval_reason(options_.mode, call.approved, target->read_only, *server, target->tool);
      !why.empty()) {
    details_.needs_approval = why;
    details_.approval = WantedApproval{"mcp", target->server + "/" + target->tool};
    return refuse("not done: " + why + ". It needs the user's approval; --permissions full would allow it too.");
  }
  std::string compact;
  json::append_compact(compact, arguments->raw());
  effects_.kind = target->read_only ? "read" : "mcp";
  asked_ = server;
  server->call(target->tool, std::move(compact),
               {[this](const std::string& text) { progress(text); },
                [this](CallOutcome outcome) { answer(std::move(outcome)); }});
}

void Service::progress(const std::string& text) {
  const std::int64_t now = monotonic_ns();
  if (now - noted_ns_ < kNoteEveryNs) return;
  noted_ns_ = now;
  event::ToolProgress record;
  record.call_id = waiting_.front().call_id;
  record.name = waiting_.front().name;
  record.text = visible(text);
  session::mask_secrets(record.text);
  event::append_record(out_.buffer(), record);
  (void)out_.flush();
}

void Service::answer(CallOutcome outcome) {
  const event::ToolAnswer record =
      make_answer(waiting_.front().call_id, std::move(outcome), details_, effects_, started_ns_);
  event::append_record(out_.buffer(), record);
  if (const auto written = out_.flush(); !written && !out_.reader_is_gone()) error_ = written.error();
  waiting_.pop_front();
  busy_ = false;
  asked_ = nullptr;
  host_.loop().after(0, [this] { next(); });
}

void Service::offer() {
  const auto offered = host_.offer(options_.wait_ms);
  if (!options_.list_first) return;
  for (const event::ToolDefinition& definition : offered) event::append_record(out_.buffer(), definition);
  event::End end;
  end.items = static_cast<std::int64_t>(offered.size());
  event::append_record(out_.buffer(), end);
  (void)out_.flush();
}

Result<int> Service::run() {
  host_.loop().watch(signals_.fd(), POLLIN, [](short) {});
  host_.start_all();
  offer();
  input_ = host_.loop().watch(STDIN_FILENO, POLLIN, [this](short) { read_input(); });
  host_.loop().run_until([this] {
    return signals_.received() != 0 || out_.reader_is_gone() || reader_is_gone_ || error_ ||
           (at_end_ && waiting_.empty());
  });
  host_.stop_all();
  if (out_.reader_is_gone() || reader_is_gone_) return kExitOk;
  if (error_) return *error_;
  const int signal = signals_.received();
  return signal == 0 ? kExitOk : 128 + signal;
}

}  // namespace

Result<int> serve(Host& host, const ServeOptions& options) {
  os::ignore_sigpipe();
  MAGI_TRY(os::StopSignals signals, os::StopSignals::catch_signals());
  return Service(host, options, std::move(signals)).run();
}

Result<int> list(Host& host, std::int64_t wait_ms) {
  os::ignore_sigpipe();
  if (wait_ms > 0) {
    host.start_all();
    host.await_all(wait_ms);
  }
  tool::Stdout out;
  for (const event::ToolDefinition& definition : host.offer(0)) event::append_record(out.buffer(), definition);
  host.stop_all();
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::mcp
