#include "tools/magi-code/loop/answer.h"

#include <algorithm>

#include "libcommon/json/node.h"

namespace magi::code {
namespace {

// Items that hold what the model thought, in the words of each wire format.
bool is_reasoning(const event::ProviderItem& item) {
  constexpr std::string_view kTypes[] = {"reasoning", "thinking", "redacted_thinking", "assistant_fields"};
  json::Parser parser;
  const auto root = parser.parse(item.item.json);
  const auto type = root ? root->find("type").as_string() : std::nullopt;
  return type && std::find(std::begin(kTypes), std::end(kTypes), *type) != std::end(kTypes);
}

}  // namespace

void Answer::add_text(std::string_view text) {
  if (text.empty()) return;
  if (segments_.empty() || !std::holds_alternative<TextSegment>(segments_.back()))
    segments_.emplace_back(TextSegment{});
  std::get<TextSegment>(segments_.back()).text += text;
}

std::vector<event::ToolCall> Answer::calls() const {
  std::vector<event::ToolCall> calls;
  for (const Segment& segment : segments_)
    if (const auto* call = std::get_if<event::ToolCall>(&segment)) calls.push_back(*call);
  return calls;
}

std::string Answer::text() const {
  std::string all;
  for (const Segment& segment : segments_)
    if (const auto* text = std::get_if<TextSegment>(&segment)) all += text->text;
  return all;
}

void Answer::saw_tool_progress(std::string_view call_id, std::string_view name) {
  event::ToolCall call;
  call.call_id = call_id;
  call.name = name;
  call.arguments = "{}";
  cut_calls_.push_back(std::move(call));
}

void Answer::saw_whole_call(std::string_view call_id) {
  std::erase_if(cut_calls_, [&](const event::ToolCall& call) { return call.call_id == call_id; });
}

bool Answer::is_recoverable() const {
  const auto allows = [](const Segment& segment) {
    const auto* item = std::get_if<event::ProviderItem>(&segment);
    return std::holds_alternative<TextSegment>(segment) || (item && is_reasoning(*item));
  };
  return !empty() && std::all_of(segments_.begin(), segments_.end(), allows);
}

bool Answer::has_protocol_item() const {
  for (const Segment& segment : segments_)
    if (!std::holds_alternative<TextSegment>(segment)) return true;
  return false;
}

}  // namespace magi::code
