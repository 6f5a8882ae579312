// What a session's ledger and timeline say: points to go back to, plans, changes by turn.
#include <map>

#include "libcommon/base/clock.h"
#include "libcommon/session/store.h"
#include "tools/magi-code/history/changed_turns.h"
#include "tools/magi-code/history/rewind_job.h"
#include "tools/magi-code/tui/load/loaders.h"

namespace magi::code::tui {
namespace {

std::int64_t ms_of(const std::string& timestamp) { return parse_rfc3339(timestamp).value_or(0); }

Error not_kept() {
  return make_error(ErrorCode::kNotFound, "this session is not kept, so there is nothing to look at");
}

struct History {
  std::string cwd;
  Timeline timeline;
  session::LedgerContents ledger;
};

// A session that holds nothing yet is no error.
Result<History> read_history(const Source& source) {
  History history;
  if (source.session_id.empty()) return not_kept();
  const auto info = session::find_session(source.home, source.session_id);
  if (!info && info.error().code == ErrorCode::kNotFound) return history;
  if (!info) return info.error();
  history.cwd = info->facts.cwd;
  MAGI_TRY(history.timeline, read_timeline(source.home, source.session_id, ""));
  MAGI_TRY(history.ledger, session::read_ledger(source.home, source.session_id));
  return history;
}

}  // namespace

Result<PanelData> load_rewind_points(const Source& source) {
  MAGI_TRY(const History history, read_history(source));
  const std::vector<ChangedTurn> turns = group_by_turn(history.ledger.changes, history.timeline);
  RewindPoints data;
  data.now_ms = unix_time_ms();
  std::map<std::string_view, std::vector<std::string>> files;
  for (const ChangedTurn& turn : turns)
    for (const ChangedFile& file : turn.files) files[turn.turn_id].push_back(shown_path(*file.first, history.cwd));
  for (const Moment& moment : history.timeline.moments) {
    RewindPoint point{moment.event_id,    moment.turn_id,   moment.text, ms_of(moment.timestamp),
                      moment.shell_calls, moment.is_rewind, {}};
    if (const auto changed = files.find(moment.turn_id); changed != files.end()) point.files = changed->second;
    data.points.push_back(std::move(point));
  }
  return PanelData(std::move(data));
}

Result<PanelData> load_rewind_plan(const Source& source, std::string key) {
  RewindPlan data;
  data.force = key.ends_with('!');
  if (data.force) key.pop_back();
  data.event_id = key;
  if (source.session_id.empty()) return not_kept();
  RewindWish wish;
  wish.session_id = source.session_id;
  wish.to = std::move(key);
  wish.files = true;
  wish.force = data.force;
  RewindJob job(source.home, std::move(wish));
  MAGI_CHECK(job.plan());
  const RewindReport& report = job.report();
  for (const session::RewoundFile& file : report.files)
    data.files.push_back({file.root == report.cwd ? file.path : file.absolute(),
                          std::string(session::fate_name(file.fate)),
                          file.reason.empty() && file.forced ? "forced" : file.reason});
  data.shell_calls = report.shell_calls;
  return PanelData(std::move(data));
}

Result<PanelData> load_changes(const Source& source) {
  MAGI_TRY(const History history, read_history(source));
  LedgerData data;
  data.now_ms = unix_time_ms();
  data.torn_bytes = history.ledger.torn_bytes;
  for (const ChangedTurn& turn : group_by_turn(history.ledger.changes, history.timeline)) {
    ChangedTurnRow row;
    row.turn_id = turn.turn_id;
    if (turn.moment != nullptr) {
      row.event_id = turn.moment->event_id;
      row.prompt = turn.moment->text;
      row.at_ms = ms_of(turn.moment->timestamp);
      row.shell_calls = turn.moment->shell_calls;
      row.is_rewind = turn.moment->is_rewind;
      row.has_prompt = !row.is_rewind;
    }
    for (const ChangedFile& file : turn.files)
      row.files.push_back({shown_path(*file.first, history.cwd), std::string(file.status()), file.changes});
    data.turns.push_back(std::move(row));
  }
  return PanelData(std::move(data));
}

}  // namespace magi::code::tui
