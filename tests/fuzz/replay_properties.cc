#include "tests/fuzz/replay_properties.h"

#include <algorithm>
#include <vector>

#include "libcommon/event/session_event.h"
#include "libcommon/json/node.h"
#include "tests/unit/context/replay_support.h"

namespace magi::context::test {
namespace {

constexpr std::size_t kMaxNoticeBytes = 4'000;

}  // namespace

std::string complaint_of_event(std::string_view line) {
  json::Parser parser;
  const auto root = parser.parse(line);
  std::vector<char> padded(line.begin(), line.end());
  padded.resize(line.size() + json::kPadding);
  json::Tape tape;
  json::Parser other;
  const auto value = other.parse_onto(tape, {padded.data(), line.size()});
  if (root.has_value() != value.has_value()) return "two ways of reading differ";
  if (!root) return tape.size() == 0 ? "" : "values of what is no JSON";
  if (tape.node(*value).raw() != root->raw()) return "two ways of reading give different values";
  const auto event = event::parse_session_event(*root);
  if (!event) return "";
  std::string payload, again;
  json::append_compact(payload, event->payload.raw());
  event::append_session_line(again, event->envelope, event->event_type, payload);
  if (std::count(again.begin(), again.end(), '\n') != 1) return "not one line";
  again.pop_back();
  json::Parser third;
  const auto reread = third.parse(again);
  if (!reread) return "what is written cannot be read: " + reread.error().what;
  const auto same = event::parse_session_event(*reread);
  if (!same) return "what is written is no event: " + same.error().what;
  if (same->event_type != event->event_type || same->envelope.event_id != event->envelope.event_id ||
      same->payload.raw() != payload)
    return "what is written reads otherwise";
  return "";
}

std::string complaint_of_session(std::string_view session) {
  const Replayed replayed = replay(session);
  if (!replayed.error.empty()) return "it fails: " + replayed.error;
  for (const std::string& notice : replayed.notices)
    if (notice.size() > kMaxNoticeBytes) return "a notice without bound";
  return complaint(replayed.stream);
}

}  // namespace magi::context::test
