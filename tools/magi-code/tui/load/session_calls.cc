#include "tools/magi-code/tui/load/session_calls.h"

#include <array>
#include <unordered_map>

#include "libcommon/base/clock.h"
#include "libcommon/base/utf8.h"
#include "libcommon/event/names.h"
#include "libcommon/session/each_event.h"

namespace magi::code::tui {
namespace {

namespace name = event::name;

constexpr std::size_t kTextCharacters = 1000;
// Arguments that say what a call is for, the plainest first.
constexpr std::array<std::string_view, 8> kTelling = {"intent", "description", "command", "pattern",
                                                      "path",   "url",         "query",   "prompt"};

std::string cut(std::string text) {
  text.resize(utf8::prefix_bytes(text, kTextCharacters));
  return text;
}
std::string text_of(const json::Node& object, std::string_view key) {
  const json::Node value = object.find(key);
  return value ? value.as_string().value_or("") : std::string();
}

class Reader {
 public:
  bool take(const event::SessionEvent& event) {
    const std::string_view type = event.event_type;
    const std::int64_t at = parse_rfc3339(event.envelope.timestamp).value_or(0);
    const std::string turn_id = text_of(event.payload, "turn_id");
    if (type == name::kUserInput) {
      add_prompt(begin_turn(turn_id, at), cut(text_of(event.payload, "text")));
    } else if (type == name::kToolCall) {
      add_call(begin_turn(turn_id, at), event.payload, at);
    } else if (type == name::kToolResult) {
      end_call(event.payload, at);
    } else if (type == name::kTurnStatus) {
      SessionTurn& turn = begin_turn(turn_id, at);
      turn.status = text_of(event.payload, "status");
      turn.ended_ms = at;
    } else if (type == name::kSubagentSession && !turns_.empty()) {
      turns_.back().children.push_back({text_of(event.payload, "child_id"), text_of(event.payload, "status"),
                                        cut(text_of(event.payload, "summary")), at});
    }
    return true;
  }
  std::vector<SessionTurn> finish() { return std::move(turns_); }

 private:
  // Events of a turn stand together; steering is more text of the same one.
  SessionTurn& begin_turn(const std::string& turn_id, std::int64_t at) {
    if (turns_.empty() || turns_.back().turn_id != turn_id) {
      turns_.emplace_back();
      turns_.back().turn_id = turn_id;
      turns_.back().begun_ms = at;
    }
    return turns_.back();
  }
  static void add_prompt(SessionTurn& turn, const std::string& text) {
    if (!turn.prompt.empty()) turn.prompt += '\n';
    turn.prompt += text;
  }

  void add_call(SessionTurn& turn, const json::Node& payload, std::int64_t at) {
    SessionCall call;
    call.call_id = text_of(payload, "call_id");
    call.parent_call_id = text_of(payload, "parent_call_id");
    call.name = text_of(payload, "name");
    call.begun_ms = at;
    const auto arguments = parser_.parse(text_of(payload, "arguments"));
    if (arguments) {
      for (const std::string_view key : kTelling)
        if (call.intent.empty()) call.intent = cut(text_of(*arguments, key));
      if (std::string path = text_of(*arguments, "path"); !path.empty()) call.paths.push_back(std::move(path));
      for (const json::Node path : arguments->find("paths").elements())
        if (auto text = path.as_string()) call.paths.push_back(*std::move(text));
    }
    places_[call.call_id] = {turns_.size() - 1, turn.calls.size()};
    turn.calls.push_back(std::move(call));
  }

  void end_call(const json::Node& payload, std::int64_t at) {
    const auto place = places_.find(text_of(payload, "call_id"));
    if (place == places_.end()) return;
    SessionCall& call = turns_[place->second.first].calls[place->second.second];
    call.status = text_of(payload, "status");
    call.ended_ms = at;
  }

  std::vector<SessionTurn> turns_;
  std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> places_;
  json::Parser parser_;
};

}  // namespace

Result<std::vector<SessionTurn>> read_turns(const session::Home& home, std::string_view session_id) {
  if (session_id.empty()) return std::vector<SessionTurn>();
  auto file = session::open_session_for_reading(home, session_id);
  if (!file && file.error().code == ErrorCode::kNotFound) return std::vector<SessionTurn>();
  if (!file) return std::move(file.error());
  session::EachEvent options;
  options.wanted = [](std::string_view line) {
    const std::string_view head = line.substr(0, 400);  // where our own writer puts the type
    for (const std::string_view other : {name::kSessionUsage, name::kProviderStreamTrace, name::kProviderResponseItem})
      if (head.find(other) != std::string_view::npos) return false;
    return true;
  };
  Reader reader;
  MAGI_TRY(
      [[maybe_unused]] const session::UnreadLines unread,
      session::each_event(file->get(), options, [&](const event::SessionEvent& event) { return reader.take(event); }));
  return reader.finish();
}

}  // namespace magi::code::tui
