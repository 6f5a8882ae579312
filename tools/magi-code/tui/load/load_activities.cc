// What the session did: as a tree, as files, as tokens.
#include <algorithm>
#include <map>

#include "libcommon/base/clock.h"
#include "libcommon/context/model_catalog.h"
#include "libcommon/event/names.h"
#include "libcommon/session/each_event.h"
#include "libcommon/session/ledger.h"
#include "libcommon/session/store.h"
#include "tools/magi-code/history/changed_turns.h"
#include "tools/magi-code/tui/load/loaders.h"
#include "tools/magi-code/tui/load/session_calls.h"
#include "tools/magi-code/tui/panel/parts.h"

namespace magi::code::tui {
namespace {

namespace name = event::name;

void add_call(const SessionTurn& turn, const SessionCall& call, int depth, bool runs, ActivitiesData& data) {
  const std::string_view open = runs ? "running" : "interrupted";
  data.rows.push_back({depth, call.call_id, call.name, call.intent,
                       call.status.empty() ? std::string(open) : call.status, call.begun_ms, call.ended_ms});
  constexpr int kMostDepth = 8;
  if (depth == kMostDepth) return;
  for (const SessionCall& nested : turn.calls)
    if (!nested.parent_call_id.empty() && nested.parent_call_id == call.call_id && nested.call_id != call.call_id)
      add_call(turn, nested, depth + 1, runs, data);
}

void add_turn(const SessionTurn& turn, bool runs, ActivitiesData& data) {
  data.rows.push_back({0,
                       turn.turn_id,
                       turn.prompt.empty() ? "turn " + turn.turn_id : turn.prompt,
                       {},
                       !turn.status.empty() ? turn.status
                       : runs               ? "running"
                                            : "interrupted",
                       turn.begun_ms,
                       turn.ended_ms});
  const auto has_parent = [&](const SessionCall& call) {
    return !call.parent_call_id.empty() &&
           std::any_of(turn.calls.begin(), turn.calls.end(), [&](const SessionCall& other) {
             return &other != &call && other.call_id == call.parent_call_id;
           });
  };
  for (const SessionCall& call : turn.calls)
    if (!has_parent(call)) add_call(turn, call, 1, runs, data);
  for (const SessionTurn::Child& child : turn.children)
    data.rows.push_back({1, child.id, "child " + child.id, child.summary, child.status, child.at_ms, 0});
}

std::string relative_to(const std::string& path, const std::string& cwd) {
  if (path.starts_with(cwd + '/')) return path.substr(cwd.size() + 1);
  return path.starts_with("./") ? path.substr(2) : path;
}

UsageRow& row_of(UsageData& data, const std::string& provider, const std::string& model) {
  for (UsageRow& row : data.rows)
    if (row.provider == provider && row.model == model) return row;
  data.rows.emplace_back();
  data.rows.back().provider = provider;
  data.rows.back().model = model;
  return data.rows.back();
}

void add_counts(const json::Node& usage, UsageRow& row) {
  const auto number = [&](std::string_view key) {
    const json::Node value = usage.find(key);
    return value ? value.as_int().value_or(0) : 0;
  };
  row.input_tokens += number("input_tokens");
  row.cached_tokens += number("cached_tokens");
  row.cache_write_tokens += number("cache_write_tokens");
  row.output_tokens += number("output_tokens");
  row.reasoning_tokens += number("reasoning_tokens");
}

struct Counted {
  UsageData usage;
  std::int64_t newest_input = 0, newest_output = 0;  // of the last request
  std::map<std::string, std::int64_t> events;
  std::int64_t generation = 0;
};

void count(const event::SessionEvent& event, Counted& counted) {
  const auto text = [&](std::string_view key) {
    const json::Node value = event.payload.find(key);
    return value ? value.as_string().value_or("") : std::string();
  };
  ++counted.events[event.event_type];
  if (event.event_type == name::kSessionUsage) {
    UsageRow& row = row_of(counted.usage, text("provider"), text("model"));
    ++row.requests;
    const UsageRow before = row;
    add_counts(event.payload, row);
    counted.newest_input = row.input_tokens - before.input_tokens;
    counted.newest_output = row.output_tokens - before.output_tokens;
  }
  if (event.event_type != name::kCompaction) return;
  counted.generation = event.payload.find("generation").as_int().value_or(counted.generation);
  const json::Node carried = event.payload.find("carried").find("usage");
  if (!carried) return;
  // What a checkpoint carries stands for all before it; by which models is in its archive.
  counted.usage.rows.clear();
  UsageRow& row = row_of(counted.usage, "before the last compaction", "");
  row.requests = carried.find("requests") ? carried.find("requests").as_int().value_or(0) : 0;
  add_counts(carried, row);
}

Result<Counted> count_session(const Source& source) {
  Counted counted;
  if (source.session_id.empty()) return counted;
  auto file = session::open_session_for_reading(source.home, source.session_id);
  if (!file && file.error().code == ErrorCode::kNotFound) return counted;
  if (!file) return std::move(file.error());
  MAGI_TRY([[maybe_unused]] const session::UnreadLines unread,
           session::each_event(file->get(), {}, [&](const event::SessionEvent& event) {
             count(event, counted);
             return true;
           }));
  return counted;
}

}  // namespace

Result<PanelData> load_activities(const Source& source) {
  MAGI_TRY(const std::vector<SessionTurn> turns, read_turns(source.home, source.session_id));
  ActivitiesData data;
  data.now_ms = unix_time_ms();
  // Only the last turn of the session that is open here can still run.
  for (const SessionTurn& turn : turns) add_turn(turn, &turn == &turns.back() && turn.status.empty(), data);
  return PanelData(std::move(data));
}

Result<PanelData> load_files(const Source& source) {
  MAGI_TRY(const std::vector<SessionTurn> turns, read_turns(source.home, source.session_id));
  std::map<std::string, TouchedFile> files;
  std::map<std::string, std::size_t> last;
  std::size_t order = 0;
  const auto touch = [&](const std::string& path) -> TouchedFile& {
    last[path] = ++order;
    files[path].path = path;
    return files[path];
  };
  for (const SessionTurn& turn : turns)
    for (const SessionCall& call : turn.calls) {
      if (call.status != "success" || (call.name != "read" && call.name != "edit" && call.name != "write")) continue;
      for (const std::string& path : call.paths) {
        TouchedFile& file = touch(relative_to(path, source.cwd));
        ++(call.name == "read" ? file.reads : call.name == "edit" ? file.edits : file.writes);
      }
    }
  if (!source.session_id.empty()) {
    MAGI_TRY(const session::LedgerContents ledger, session::read_ledger(source.home, source.session_id));
    std::map<std::string, ChangedFile> changed;
    for (const session::Change& change : ledger.changes) {
      ChangedFile& file = changed[relative_to(change.absolute(), source.cwd)];
      if (file.first == nullptr) file.first = &change;
      file.last = &change;
    }
    for (const auto& [path, change] : changed)
      (files.contains(path) ? files[path] : touch(path)).status = change.status();
  }
  TouchedFiles data;
  for (auto& [path, file] : files) data.files.push_back(std::move(file));
  std::sort(data.files.begin(), data.files.end(),
            [&](const TouchedFile& a, const TouchedFile& b) { return last[a.path] > last[b.path]; });
  return PanelData(std::move(data));
}

Result<PanelData> load_usage(const Source& source) {
  MAGI_TRY(Counted counted, count_session(source));
  return PanelData(std::move(counted.usage));
}

Result<PanelData> load_context(const Source& source) {
  MAGI_TRY(const Counted counted, count_session(source));
  MAGI_TRY(const config::Settings settings, settings_of(source));
  std::string text;
  const auto line = [&](std::string what, const std::string& value) {
    what.resize(std::max<std::size_t>(what.size() + 2, 26), ' ');
    text += what + value + '\n';
  };
  const UsageRow* const newest = counted.usage.rows.empty() ? nullptr : &counted.usage.rows.back();
  std::int64_t window = settings.context.max_tokens;
  if (newest) {
    const auto known = context::catalog_window(source.home, newest->provider, newest->model);
    const auto own = settings.context.model_overrides.find(newest->provider + '/' + newest->model);
    if (known && *known) window = **known;
    if (own != settings.context.model_overrides.end() && own->second.max_tokens)
      window = std::min(window, *own->second.max_tokens);
    line("last model", newest->provider + ' ' + newest->model);
  }
  line("context window", grouped(window) + " tokens");
  line("kept for the answer", grouped(settings.context.reserve_tokens) + " tokens");
  if (counted.newest_input > 0) {
    const std::int64_t used = counted.newest_input + counted.newest_output;
    line("last request", grouped(counted.newest_input) + " tokens in, " + grouped(counted.newest_output) + " out (" +
                             std::to_string(used * 100 / std::max<std::int64_t>(window, 1)) + " % of the window)");
  } else {
    line("last request", "none since the session began or was compacted");
  }
  const auto& automatic = settings.compaction.automatic;
  std::string threshold = automatic.threshold_percent ? std::to_string(*automatic.threshold_percent) + " %" : "";
  if (automatic.threshold_tokens)
    threshold += (threshold.empty() ? "" : " or ") + grouped(*automatic.threshold_tokens) + " tokens";
  line("compacted by itself", automatic.enabled ? "at " + threshold : "never");
  line("compactions so far", std::to_string(counted.generation));
  text += "\nevents that the session holds now\n";
  for (const auto& [type, count] : counted.events) line("  " + type, grouped(count));
  return PanelData(TextData{{}, std::move(text)});
}

}  // namespace magi::code::tui
