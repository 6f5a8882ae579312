#include "tools/magi-tool/serve.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "libcommon/base/clock.h"
#include "libcommon/event/answers.h"
#include "libcommon/json/node.h"
#include "libcommon/os/signals.h"
#include "libcommon/session/mask.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-tool/answer.h"
#include "tools/magi-tool/inbox.h"
#include "tools/magi-tool/text.h"

namespace magi::toolbox {
namespace {

// How long a command may go on when the host has closed stdin but its output is still read: enough for
// `printf ... | magi-tool --serve`.  A host that is dead reads no more, and then nothing goes on.
constexpr std::int64_t kGraceNs = 5'000'000'000;
// Cancellation is looked for this often during work that does not run the event loop.
constexpr std::int64_t kLookNs = 5'000'000;

bool reader_is_gone() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

class Server {
 public:
  Server(Session& session, const ServeOptions& options, os::StopSignals signals)
      : session_(session), options_(options), signals_(std::move(signals)), inbox_(session.loop, STDIN_FILENO) {
    session.loop.on_readable(signals_.fd(), [] { return false; });
  }

  Result<int> run();

 private:
  bool stopped() const { return signals_.received() != 0 || out_.reader_is_gone(); }
  bool cancelled();
  Result<void> answer(const event::ToolCall& call);
  void progress(const event::ToolCall& call, std::string_view text);

  Session& session_;
  ServeOptions options_;
  os::StopSignals signals_;
  Inbox inbox_;
  tool::Stdout out_{tool::ReaderGone::kReport};
  std::int64_t looked_ns_ = 0, end_seen_ns_ = 0;
};

bool Server::cancelled() {
  const std::int64_t now = monotonic_ns();
  if (now - looked_ns_ >= kLookNs) {
    looked_ns_ = now;
    inbox_.look();
  }
  if (inbox_.is_cancelled() || stopped()) return true;
  if (!inbox_.at_end()) return false;
  if (end_seen_ns_ == 0) end_seen_ns_ = now;
  return reader_is_gone() || (options_.has_host && now - end_seen_ns_ > kGraceNs);
}

void Server::progress(const event::ToolCall& call, std::string_view text) {
  event::ToolProgress record;
  record.call_id = call.call_id;
  record.name = call.name;
  record.text = visible(std::string(text));
  session::mask_secrets(record.text);
  event::append_record(out_.buffer(), record);
  (void)out_.flush();  // without a reader the call is cancelled: see stopped()
}

Result<void> Server::answer(const event::ToolCall& call) {
  const std::int64_t started = monotonic_ns();
  end_seen_ns_ = 0;  // each command has its own moment
  Outcome not_begun;
  not_begun.status = Status::kCancelled;
  not_begun.output = "cancelled before it began";
  Ran ran{std::move(not_begun), {}, {}};
  if (!inbox_.is_cancelled())
    ran = run_call(
        session_, call, [this] { return cancelled(); }, [&](std::string_view text) { progress(call, text); });
  const event::ToolAnswer record =
      make_answer(call.call_id, std::move(ran.outcome), std::move(ran.details), std::move(ran.effects), started);
  event::append_record(out_.buffer(), record);
  return out_.flush();
}

Result<int> Server::run() {
  for (;;) {
    MAGI_TRY(const std::optional<event::ToolCall> call, inbox_.next([this] { return stopped(); }));
    if (!call) break;
    if (const Result<void> written = answer(*call); !written) {
      if (out_.reader_is_gone()) return kExitOk;
      return written.error();
    }
  }
  const int signal = signals_.received();
  return signal == 0 ? kExitOk : 128 + signal;
}

Result<std::vector<Seen>> seen_by_caller(const event::Raw& observed) {
  std::vector<Seen> seen;
  if (observed.empty()) return seen;
  json::Parser parser;
  MAGI_TRY(const json::Node list, parser.parse(observed.json));
  for (const json::Node one : list.elements()) {
    Seen entry;
    MAGI_CHECK(event::parse_fields(one, entry));
    seen.push_back(std::move(entry));
  }
  return seen;
}

Result<Outcome> dispatch(Session& session, const event::ToolCall& record, std::function<bool()> cancelled,
                         std::function<void(std::string_view)> progress, Ran& ran) {
  const Tool* const tool = find_tool(record.name);
  if (tool == nullptr) {
    std::string known;
    for (const Tool& one : all_tools()) known.append(known.empty() ? "" : ", ").append(one.name);
    return make_error(ErrorCode::kUsage, "no tool ", quoted(record.name), "; there are ", known);
  }
  MAGI_TRY(const Arguments arguments, Arguments::parse(record.arguments, tool->parameters));
  MAGI_CHECK(session.workspace.refresh());
  MAGI_TRY(std::vector<Seen> seen, seen_by_caller(record.observed));
  for (const Seen& entry : seen) session.observed.learn(entry.path, entry.sha256);
  Call call{session,
            arguments,
            record.approved,
            std::move(seen),
            std::move(cancelled),
            std::move(progress),
            {},
            {},
            record.call_id,
            record.turn_id,
            {}};
  Result<Outcome> outcome = tool->run(call);
  if (outcome && outcome->remark.empty()) outcome->remark = std::move(call.remark);
  ran.details = std::move(call.details);
  ran.effects = std::move(call.effects);
  return outcome;
}

}  // namespace

Ran run_call(Session& session, const event::ToolCall& call, std::function<bool()> cancelled,
             std::function<void(std::string_view)> progress) {
  Ran ran{make_error(ErrorCode::kInternal, ""), {}, {}};
  ran.outcome = dispatch(session, call, std::move(cancelled), std::move(progress), ran);
  return ran;
}

Result<int> serve(Session& session, const ServeOptions& options) {
  os::ignore_sigpipe();
  MAGI_TRY(os::StopSignals signals, os::StopSignals::catch_signals());
  return Server(session, options, std::move(signals)).run();
}

}  // namespace magi::toolbox
