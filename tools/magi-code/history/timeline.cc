#include "tools/magi-code/history/timeline.h"

#include <algorithm>

#include "libcommon/event/session_event.h"
#include "libcommon/os/io.h"
#include "libcommon/session/each_event.h"

namespace magi::code {
namespace {

namespace name = event::name;

class Reader {
 public:
  explicit Reader(const std::string& to) : to_(to) {}

  void take(std::string_view line) {
    const auto root = parser_.parse_padded(line);
    const auto head = root ? event::parse_event_head(*root) : Result<event::EventHead>(root.error());
    if (!head) return;
    const auto text = [](const json::Node& node) { return node ? node.as_string().value_or("") : std::string(); };
    const std::string type = text(head->event_type);
    const std::string turn_id = text(head->payload.find(type == name::kRewind ? "rewind_id" : "turn_id"));
    const bool begins = (type == name::kUserInput || type == name::kRewind) && !turn_id.empty() && !find(turn_id);
    if (begins) {
      Moment moment{type == name::kRewind, turn_id, text(head->event_id), text(root->find("timestamp")), {}, 0};
      if (!moment.is_rewind) moment.text = text(head->payload.find("text"));
      timeline_.moments.push_back(std::move(moment));
    } else if (type == name::kToolResult) {
      const auto calls = head->payload.find("execution_effects").find("shell_calls").as_int();
      if (Moment* const moment = find(turn_id)) moment->shell_calls += calls.value_or(0);
    }
    if (!to_.empty() && (text(head->event_id) == to_ || (begins && turn_id == to_))) want(turn_id);
  }

  Timeline finish() {
    const auto prompt = [](const Moment& moment) { return !moment.is_rewind; };
    auto& moments = timeline_.moments;
    const auto last = std::find_if(moments.rbegin(), moments.rend(), prompt);
    if (to_.empty() && last != moments.rend()) timeline_.wanted = static_cast<std::size_t>(moments.rend() - last - 1);
    return std::move(timeline_);
  }

 private:
  Moment* find(std::string_view turn_id) {
    auto& moments = timeline_.moments;
    // A turn's events stand together, near the end of what was read.
    const auto found =
        std::find_if(moments.rbegin(), moments.rend(), [&](const Moment& m) { return m.turn_id == turn_id; });
    return found == moments.rend() ? nullptr : &*found;
  }
  void want(std::string_view turn_id) {
    if (timeline_.moments.empty()) return;
    const Moment* const moment = find(turn_id);
    timeline_.wanted = static_cast<std::size_t>((moment ? moment : &timeline_.moments.back()) - &timeline_.moments[0]);
  }

  const std::string& to_;
  json::Parser parser_;
  Timeline timeline_;
};

}  // namespace

const Moment* Timeline::of_turn(std::string_view turn_id) const {
  for (const Moment& moment : moments)
    if (moment.turn_id == turn_id) return &moment;
  return nullptr;
}

std::size_t Timeline::first_change(const std::vector<session::Change>& changes, std::size_t from) const {
  const auto is_later = [&](const session::Change& change) {
    return std::any_of(moments.begin() + static_cast<std::ptrdiff_t>(from), moments.end(),
                       [&](const Moment& moment) { return moment.turn_id == change.turn_id; });
  };
  return static_cast<std::size_t>(std::find_if(changes.begin(), changes.end(), is_later) - changes.begin());
}

Result<Timeline> read_timeline(const session::Home& home, std::string_view id, const std::string& to) {
  MAGI_TRY(const os::Fd file, session::open_session_for_reading(home, id));
  os::LineReader lines(file.get(), session::kMaxSessionLineBytes);
  Reader reader(to);
  while (true) {
    const auto line = lines.next();
    if (!line && line.error().code == ErrorCode::kLimit) continue;
    if (!line) return line.error();
    if (!*line) return reader.finish();
    reader.take(**line);
  }
}

}  // namespace magi::code
