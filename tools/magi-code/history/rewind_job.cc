#include "tools/magi-code/history/rewind_job.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>

#include "libcommon/base/clock.h"
#include "libcommon/session/fork.h"
#include "libcommon/session/store.h"

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

}  // namespace

bool rewinds_files(RewindMode mode) { return mode != RewindMode::kConversation; }
bool rewinds_conversation(RewindMode mode) { return mode != RewindMode::kFiles; }

RewindJob::RewindJob(session::Home home, RewindWish wish)
    : home_(std::move(home)), wish_(std::move(wish)), rewind_id_(new_rewind_id()) {
  report_.session_id = wish_.session_id;
}

Result<void> RewindJob::plan() {
  MAGI_CHECK(session::check_session_id(wish_.session_id));
  MAGI_TRY(const session::SessionInfo info, session::find_session(home_, wish_.session_id));
  report_.cwd = info.facts.cwd;
  MAGI_CHECK(find_target());
  MAGI_CHECK(choose_mode());
  if (rewinds_files(report_.mode))
    report_.files = session::plan_rewind(home_, ledger_.changes, first_change_, wish_.force);
  report_.status = "planned";
  return {};
}

Result<void> RewindJob::find_target() {
  MAGI_TRY(timeline_, read_timeline(home_, report_.session_id, wish_.to));
  if (wish_.files || !wish_.conversation) {
    MAGI_TRY(ledger_, session::read_ledger(home_, report_.session_id));
  } else if (auto contents = session::read_ledger(home_, report_.session_id)) {
    ledger_ = *std::move(contents);
  }
  report_.torn_ledger_bytes = ledger_.torn_bytes;
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
Result<void> RewindJob::find_turn_of_ledger() {
  if (wish_.to.empty())
    return make_error(ErrorCode::kNotFound, "session ", quoted(report_.session_id), " holds no prompt");
  const auto& changes = ledger_.changes;
  const auto found = std::find_if(changes.begin(), changes.end(),
                                  [&](const session::Change& change) { return change.turn_id == wish_.to; });
  if (found == changes.end())
    return make_error(ErrorCode::kNotFound, "no event or turn ", quoted(wish_.to), " in session ",
                      quoted(report_.session_id), "; `magi-code changes ", report_.session_id, "` lists them");
  first_change_ = static_cast<std::size_t>(found - changes.begin());
  report_.target_turn_id = wish_.to;
  for (const Moment& moment : timeline_.moments) report_.shell_calls += moment.shell_calls;
  return {};
}

Result<void> RewindJob::choose_mode() {
  const bool has_prompt = timeline_.wanted && !report_.target_is_rewind;
  if (!has_prompt && (wish_.conversation || wish_.both))
    return make_error(ErrorCode::kUsage, quoted(wish_.to),
                      " is no prompt that the session still holds: only its files can be taken back (--files)");
  if (wish_.conversation)
    report_.mode = RewindMode::kConversation;
  else if (wish_.files || !has_prompt)
    report_.mode = RewindMode::kFiles;
  return {};
}

Result<void> RewindJob::carry_out(session::Writer* writer, const std::function<bool()>& go_on) {
  if (rewinds_conversation(report_.mode)) MAGI_CHECK(fork());
  if (!rewinds_files(report_.mode)) {
    settle_status(true);
    return {};
  }
  settle_status(session::apply_rewind(home_, report_.session_id, rewind_id_, report_.files, go_on));
  if (report_.files.empty()) return {};
  if (auto recorded = record(*writer); !recorded) return with_fork(recorded.error());
  return {};
}

Error RewindJob::with_fork(const Error& why) const {
  if (report_.fork_id.empty()) return why;
  return make_error(why.code, "session ", quoted(report_.fork_id), " was made and stays, but ", why.what);
}

Result<void> RewindJob::fork() {
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
  auto forked = session::fork_session(home_, report_.session_id, fork);
  if (!forked && rewinds_files(report_.mode))
    return make_error(forked.error().code, forked.error().what, "; no file was restored");
  if (!forked) return std::move(forked.error());
  report_.fork_id = std::move(forked->id);
  return {};
}

void RewindJob::settle_status(bool complete) {
  const RewindCounts counts = count_fates(report_.files);
  const bool left = counts.conflicts + counts.unavailable + counts.failed > 0;
  const bool done = counts.restored + counts.removed > 0 || !report_.fork_id.empty();
  report_.status = !complete ? "cancelled" : left ? "partial" : done ? "completed" : "nothing to do";
}

Result<void> RewindJob::record(session::Writer& writer) {
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
  event.forced = wish_.force;
  auto stored = writer.append(event, session::Durability::kRequired);
  if (!stored)
    return make_error(stored.error().code, "the result of the rewind was not recorded: ", stored.error().what);
  report_.rewind_event_id = *stored;
  return {};
}

}  // namespace magi::code
