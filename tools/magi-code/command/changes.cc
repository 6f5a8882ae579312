
#include <map>

#include "libcommon/session/store.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/front/display.h"
#include "tools/magi-code/history/changed_turns.h"

namespace magi::code {
namespace {

constexpr std::size_t kPromptCharacters = 60;

std::string shown_moment(const ChangedTurn& turn) {
  if (turn.moment == nullptr) return (turn.turn_id.empty() ? "no turn" : turn.turn_id) + "  (no prompt)";
  const Moment& moment = *turn.moment;
  return moment.event_id + "  " + moment.timestamp.substr(0, 16) + "Z  " +
         (moment.is_rewind ? "rewind" : one_line(moment.text, kPromptCharacters));
}

void append_text(std::string& out, const std::vector<ChangedTurn>& turns, const std::string& cwd) {
  for (const ChangedTurn& turn : turns) {
    out += display_safe(shown_moment(turn)) + '\n';
    for (const ChangedFile& file : turn.files) {
      out += "  " + std::string(file.status()) + std::string(10 - file.status().size(), ' ') +
             display_safe(shown_path(*file.first, cwd));
      if (file.changes > 1) out += "  (" + std::to_string(file.changes) + " changes)";
      out += '\n';
    }
  }
  out += std::to_string(count_files(turns)) + (count_files(turns) == 1 ? " file in " : " files in ") +
         std::to_string(turns.size()) + (turns.size() == 1 ? " turn\n" : " turns\n");
}

void append_file(json::Writer& out, const ChangedFile& file, const std::string& cwd) {
  out.begin_object().key("path").string(shown_path(*file.first, cwd)).key("status").string(file.status());
  out.key("changes").integer(file.changes);
  if (file.first->before) out.key("bytes_before").integer(file.first->before->bytes);
  if (file.last->after) out.key("bytes_after").integer(file.last->after->bytes);
  out.end_object();
}

void append_json(std::string& text, const std::string& id, const std::vector<ChangedTurn>& turns,
                 const std::string& cwd, std::uint64_t torn_bytes) {
  json::Writer out(text);
  std::map<std::string_view, std::int64_t> counts{{"created", 0}, {"modified", 0}, {"deleted", 0}};
  out.begin_object().key("session_id").string(id).key("turns").begin_array();
  for (const ChangedTurn& turn : turns) {
    out.begin_object().key("turn_id").string(turn.turn_id);
    if (turn.moment != nullptr) {
      out.key("event_id").string(turn.moment->event_id).key("timestamp").string(turn.moment->timestamp);
      out.key("kind").string(turn.moment->is_rewind ? "rewind" : "prompt");
      if (!turn.moment->is_rewind) out.key("prompt").string(turn.moment->text);
      out.key("shell_calls").integer(turn.moment->shell_calls);
    }
    out.key("files").begin_array();
    for (const ChangedFile& file : turn.files) {
      append_file(out, file, cwd);
      ++counts[file.status()];
    }
    out.end_array().end_object();
  }
  out.end_array().key("counts").begin_object();
  out.key("turns").integer(static_cast<std::int64_t>(turns.size()));
  out.key("files").integer(static_cast<std::int64_t>(count_files(turns)));
  for (const auto& [status, count] : counts) out.key(status).integer(count);
  out.end_object().key("torn_bytes").integer(static_cast<std::int64_t>(torn_bytes)).end_object();
  text += '\n';
}

Result<session::SessionInfo> choose(const Setting& setting) {
  if (const auto& id = setting.options.rewind.id) {
    MAGI_CHECK(session::check_session_id(*id));
    return session::find_session(setting.home, *id);
  }
  MAGI_TRY(auto latest, session::latest_eligible(setting.home, setting.cwd));
  if (!latest) return make_error(ErrorCode::kNotFound, "no session of this worktree");
  return *std::move(latest);
}

}  // namespace

Result<int> list_changes(const Setting& setting) {
  MAGI_TRY(const session::SessionInfo info, choose(setting));
  MAGI_TRY(const Timeline timeline, read_timeline(setting.home, info.id, ""));
  MAGI_TRY(const session::LedgerContents ledger, session::read_ledger(setting.home, info.id));
  if (ledger.torn_bytes > 0)
    tool::notice("magi-code", "the last record of the checkpoint ledger is incomplete (" +
                                  std::to_string(ledger.torn_bytes) + " bytes) and left out");
  const std::vector<ChangedTurn> turns = group_by_turn(ledger.changes, timeline);
  tool::Stdout out;
  if (setting.options.rewind.json)
    append_json(out.buffer(), info.id, turns, info.facts.cwd, ledger.torn_bytes);
  else
    append_text(out.buffer(), turns, info.facts.cwd);
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::code
