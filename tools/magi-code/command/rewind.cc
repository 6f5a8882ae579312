// rewind: back to before a prompt.  The plan is made and shown first and lives in this process alone: one that is
// cancelled leaves nothing behind.
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>

#include "libcommon/base/clock.h"
#include "libcommon/os/io.h"
#include "libcommon/os/signals.h"
#include "libcommon/session/fork.h"
#include "libcommon/session/store.h"
#include "libcommon/session/writer.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/command/rewind_report.h"
#include "tools/magi-code/command/rewind_timeline.h"

namespace magi::code {
namespace {

// 40 random bits: told apart within one session.
std::string new_rewind_id() {
  unsigned char random[5] = {};
  while (::getrandom(random, sizeof random, 0) < 0 && errno == EINTR) {
  }
  std::string id = "rewind-";
  for (const unsigned char byte : random) {
    constexpr char kHex[] = "0123456789abcdef";
    id += kHex[byte >> 4];
    id += kHex[byte & 15];
  }
  return id;
}

class Rewind {
 public:
  explicit Rewind(const Setting& setting) : setting_(setting), options_(setting.options.rewind) {}
  Result<int> run();

 private:
  Result<void> open();
  Result<void> find_target();
  Result<void> find_turn_of_ledger();
  Result<void> choose_mode();
  void plan();
  Result<bool> ask();
  Result<void> fork();
  Result<void> carry_out();
  Result<void> record();
  void settle_status(bool complete);
  Result<int> finish();
  // An error behind a fork that was made.
  Error with_fork(const Error& why) const;

  const Setting& setting_;
  const RewindOptions& options_;
  RewindReport report_;
  Timeline timeline_;
  session::LedgerContents ledger_;
  std::size_t first_change_ = 0;
  std::optional<session::Writer> writer_;  // holds the lease while files are taken back
  std::string rewind_id_ = new_rewind_id();
  int signal_ = 0;
  tool::Stdout out_;
};

Result<int> Rewind::run() {
  MAGI_CHECK(open());
  MAGI_CHECK(find_target());
  MAGI_CHECK(choose_mode());
  if (rewinds_files(report_.mode)) plan();
  if (!options_.json) MAGI_CHECK(out_.write(plan_text(report_)));
  MAGI_CHECK(out_.flush());
  if (options_.dry_run) {
    report_.status = "planned";
    return finish();
  }
  MAGI_TRY(const bool wanted, ask());
  report_.status = "cancelled";
  if (wanted) MAGI_CHECK(carry_out());
  return finish();
}

Result<void> Rewind::open() {
  report_.session_id = *options_.id;
  report_.dry_run = options_.dry_run;
  MAGI_CHECK(session::check_session_id(report_.session_id));
  MAGI_TRY(const session::SessionInfo info, session::find_session(setting_.home, report_.session_id));
  report_.cwd = info.facts.cwd;
  // Nobody may change files for this session, or add to it, from the plan to the record.
  if (options_.dry_run || options_.conversation) return {};
  session::WriterOptions writer_options;
  writer_options.cwd = info.facts.cwd.empty() ? setting_.cwd : info.facts.cwd;
  MAGI_TRY(writer_, session::Writer::open(setting_.home, report_.session_id, std::move(writer_options)));
  return {};
}

Result<void> Rewind::find_target() {
  MAGI_TRY(timeline_, read_timeline(setting_.home, report_.session_id, options_.to));
  if (options_.files || !options_.conversation) {
    MAGI_TRY(ledger_, session::read_ledger(setting_.home, report_.session_id));
  } else if (auto contents = session::read_ledger(setting_.home, report_.session_id)) {
    ledger_ = *std::move(contents);
  }
  if (ledger_.torn_bytes > 0)
    tool::notice("magi-code", "the last record of the checkpoint ledger is incomplete and left out");
  if (!timeline_.wanted) return find_turn_of_ledger();
  const Moment& moment = timeline_.moments[*timeline_.wanted];
  report_.target_turn_id = moment.turn_id;
  report_.target_event_id = moment.event_id;
  report_.target_text = moment.text;
  report_.target_is_rewind = moment.is_rewind;
  first_change_ = timeline_.first_change(ledger_.changes, *timeline_.wanted);
  for (std::size_t at = *timeline_.wanted; at < timeline_.moments.size(); ++at)
    report_.shell_calls += timeline_.moments[at].shell_calls;
  return {};
}

// A turn before the newest compaction has no prompt in the session any more, but its changes are known.
Result<void> Rewind::find_turn_of_ledger() {
  if (options_.to.empty())
    return make_error(ErrorCode::kNotFound, "session ", quoted(report_.session_id), " holds no prompt");
  const auto& changes = ledger_.changes;
  const auto found = std::find_if(changes.begin(), changes.end(),
                                  [&](const session::Change& change) { return change.turn_id == options_.to; });
  if (found == changes.end())
    return make_error(ErrorCode::kNotFound, "no event or turn ", quoted(options_.to), " in session ",
                      quoted(report_.session_id), "; `magi-code changes ", report_.session_id, "` lists them");
  first_change_ = static_cast<std::size_t>(found - changes.begin());
  report_.target_turn_id = options_.to;
  for (const Moment& moment : timeline_.moments) report_.shell_calls += moment.shell_calls;
  return {};
}

Result<void> Rewind::choose_mode() {
  const bool has_prompt = timeline_.wanted && !report_.target_is_rewind;
  if (!has_prompt && (options_.conversation || options_.both))
    return make_error(ErrorCode::kUsage, quoted(options_.to),
                      " is no prompt that the session still holds: only its files can be taken back (--files)");
  if (options_.conversation)
    report_.mode = RewindMode::kConversation;
  else if (options_.files || !has_prompt)
    report_.mode = RewindMode::kFiles;
  return {};
}

void Rewind::plan() {
  report_.files = session::plan_rewind(setting_.home, ledger_.changes, first_change_, options_.force);
}

// Where nobody can answer, the command line is the answer.
Result<bool> Rewind::ask() {
  if (options_.yes || options_.json || isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1) return true;
  MAGI_CHECK(os::write_all(STDERR_FILENO, "Do it? [y/N] "));
  char answer[64];
  MAGI_TRY(const std::size_t size, os::read_some(STDIN_FILENO, answer, sizeof answer));
  return size > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

Result<void> Rewind::carry_out() {
  MAGI_TRY(const os::StopSignals signals, os::StopSignals::catch_signals());
  if (rewinds_conversation(report_.mode)) MAGI_CHECK(fork());
  bool complete = true;
  if (rewinds_files(report_.mode)) {
    complete = session::apply_rewind(setting_.home, report_.session_id, rewind_id_, report_.files,
                                     [&] { return signals.received() == 0; });
    settle_status(complete);
    if (auto recorded = record(); !recorded) return with_fork(recorded.error());
  } else {
    settle_status(complete);
  }
  if (!complete) signal_ = signals.received();
  return {};
}

Error Rewind::with_fork(const Error& why) const {
  if (report_.fork_id.empty()) return why;
  return make_error(why.code, "session ", quoted(report_.fork_id), " was made and stays, but ", why.what);
}

Result<void> Rewind::fork() {
  session::ForkOptions fork;
  fork.before = report_.target_event_id;
  fork.finish = [&](session::Draft& draft) -> Result<void> {
    ForkNote note;
    note.message = "went back to before a prompt of session " + report_.session_id;
    note.source_session_id = report_.session_id;
    note.source_event_id = report_.target_event_id;
    note.draft = report_.target_text;
    MAGI_CHECK(draft.add(note, format_rfc3339(unix_time_ms()), report_.cwd));
    return {};
  };
  auto forked = session::fork_session(setting_.home, report_.session_id, fork);
  if (!forked && rewinds_files(report_.mode))
    return make_error(forked.error().code, forked.error().what, "; no file was restored");
  if (!forked) return std::move(forked.error());
  report_.fork_id = std::move(forked->id);
  return {};
}

void Rewind::settle_status(bool complete) {
  const RewindCounts counts = count_fates(report_.files);
  const bool left = counts.conflicts + counts.unavailable + counts.failed > 0;
  const bool done = counts.restored + counts.removed > 0 || !report_.fork_id.empty();
  report_.status = !complete ? "cancelled" : left ? "partial" : done ? "completed" : "nothing to do";
}

Result<void> Rewind::record() {
  if (report_.files.empty()) return {};
  RewindEvent event;
  event.rewind_id = rewind_id_;
  event.status = report_.status;
  event.target_turn_id = report_.target_turn_id;
  event.fork_session_id = report_.fork_id;
  for (std::size_t at = first_change_; at < ledger_.changes.size(); ++at)
    if (const std::string& turn = ledger_.changes[at].turn_id;
        std::find(event.turns.begin(), event.turns.end(), turn) == event.turns.end())
      event.turns.push_back(turn);
  list_files(report_.files, event);
  event.counts = count_fates(report_.files);
  event.forced = options_.force;
  auto stored = writer_->append(event, session::Durability::kRequired);
  if (!stored)
    return make_error(stored.error().code, "the result of the rewind was not recorded: ", stored.error().what);
  report_.rewind_event_id = *stored;
  return {};
}

Result<int> Rewind::finish() {
  MAGI_CHECK(out_.write(options_.json ? json_text(report_) : result_text(report_)));
  MAGI_CHECK(out_.flush());
  if (signal_ != 0) return 128 + signal_;
  return report_.status == "partial" ? kExitFailed : kExitOk;
}

}  // namespace

Result<int> rewind_session(const Setting& setting) { return Rewind(setting).run(); }

}  // namespace magi::code
