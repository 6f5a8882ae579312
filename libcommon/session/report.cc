#include "libcommon/session/report.h"

#include <algorithm>

#include "libcommon/event/names.h"
#include "libcommon/session/each_event.h"
#include "libcommon/session/removal.h"
#include "libcommon/session/tail.h"

namespace magi::session {
namespace {

namespace name = event::name;

std::string text_of(const json::Node& object, std::string_view key) {
  const json::Node value = object.find(key);
  return value ? value.as_string().value_or("") : "";
}

std::int64_t number_of(const json::Node& object, std::string_view key) {
  const json::Node value = object.find(key);
  return value ? value.as_int().value_or(0) : 0;
}

SessionReport::Prompt prompt_of(const event::SessionEvent& event) {
  return {event.envelope.event_id, text_of(event.payload, "turn_id"), event.envelope.timestamp,
          text_of(event.payload, "text")};
}

class Reading {
 public:
  Reading(SessionReport& report, const os::Dir& sessions) : report_(report), sessions_(sessions) {}

  void add(const event::SessionEvent& event) {
    ++report_.events;
    ++report_.counts[event.event_type];
    if (event.event_type == name::kUserInput) report_.prompts.push_back(prompt_of(event));
    if (event.event_type == name::kSessionUsage) add_usage(event.payload);
    if (event.event_type == name::kCompaction) {
      add_archive(event.payload.find("archive"));
      take_carried(event.payload.find("carried"));
    }
    if (event.event_type == name::kSubagentSession) add_child(text_of(event.payload, "child_id"));
  }

 private:
  void add_usage(const json::Node& usage) {
    ++report_.requests;
    report_.input_tokens += number_of(usage, "input_tokens");
    report_.cached_tokens += number_of(usage, "cached_tokens");
    report_.output_tokens += number_of(usage, "output_tokens");
  }
  // What a checkpoint carries stands for all before it.
  void take_carried(const json::Node& carried) {
    for (const json::Node child : carried.find("children").elements()) add_child(text_of(child, "child_id"));
    const json::Node usage = carried.find("usage");
    if (!usage) return;
    report_.requests = number_of(usage, "requests");
    report_.input_tokens = number_of(usage, "input_tokens");
    report_.cached_tokens = number_of(usage, "cached_tokens");
    report_.output_tokens = number_of(usage, "output_tokens");
  }
  void add_archive(const json::Node& archive) {
    SessionReport::Archive found{text_of(archive, "path"), number_of(archive, "bytes"), false};
    if (found.path.empty()) return;
    found.present = is_there(found.path);
    report_.archives.push_back(std::move(found));
  }
  // Only of the shape `.history/<id>/<generation>.jsonl`.
  bool is_there(std::string_view path) const {
    const std::string_view history = path.substr(0, path.find('/'));
    const std::size_t last = path.rfind('/');
    if (history != file::kHistory || last <= history.size()) return false;
    const std::string_view id = path.substr(history.size() + 1, last - history.size() - 1);
    if (!is_valid_session_id(id)) return false;
    const auto folder = sessions_.subdir(history, os::IfMissing::kFail);
    const auto own = folder ? folder->subdir(id, os::IfMissing::kFail) : Result<os::Dir>(folder.error());
    return own && own->stamp(path.substr(last + 1)).has_value();
  }
  void add_child(std::string id) {
    if (!id.empty() && std::find(report_.children.begin(), report_.children.end(), id) == report_.children.end())
      report_.children.push_back(std::move(id));
  }

  SessionReport& report_;
  const os::Dir& sessions_;
};

}  // namespace

Result<SessionReport> read_report(const Home& home, std::string_view id, Family family) {
  SessionReport report;
  MAGI_TRY(report.info, find_session(home, id, family));
  MAGI_TRY(const os::Fd fd, open_session_for_reading(home, id, family));
  MAGI_TRY(const os::Dir sessions, open_sessions(home, family, os::IfMissing::kFail));
  report.path = home.session(id, family);
  // Where locks do not work nobody can write either.
  report.busy = has_live_writer(sessions, id).value_or(false);
  Reading reading(report, sessions);
  const auto add = [&](const event::SessionEvent& event) {
    reading.add(event);
    return true;
  };
  MAGI_TRY(const UnreadLines unread, each_event(fd.get(), {}, add));
  report.skipped_lines = unread.skipped;
  report.torn_tail = unread.torn;
  return report;
}

Result<void> each_prompt(const Home& home, std::string_view id,
                         const std::function<bool(const SessionReport::Prompt&)>& visit) {
  MAGI_TRY(const os::Fd fd, open_session_for_reading(home, id));
  EachEvent options;
  options.wanted = [](std::string_view line) { return line.find(name::kUserInput) != std::string_view::npos; };
  const auto look = [&](const event::SessionEvent& event) {
    return event.event_type != name::kUserInput || visit(prompt_of(event));
  };
  MAGI_TRY([[maybe_unused]] const UnreadLines unread, each_event(fd.get(), options, look));
  return {};
}

}  // namespace magi::session
