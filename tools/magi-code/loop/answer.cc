#include "tools/magi-code/loop/answer.h"

namespace magi::code {

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

bool Answer::has_protocol_item() const {
  for (const Segment& segment : segments_)
    if (!std::holds_alternative<TextSegment>(segment)) return true;
  return false;
}

}  // namespace magi::code
