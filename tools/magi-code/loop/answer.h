// What has been accepted of one provider answer, in the order in which it came.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libcommon/event/answers.h"

namespace magi::code {

struct TextSegment {
  std::string text;
};
using Segment = std::variant<TextSegment, event::ProviderItem, event::ToolCall>;

class Answer {
 public:
  void add_text(std::string_view text);
  void add(event::ProviderItem item) { segments_.emplace_back(std::move(item)); }
  void add(event::ToolCall call) { segments_.emplace_back(std::move(call)); }
  // A tool call has begun to stream: its arguments may be incomplete for ever (R16).
  void saw_tool_progress(std::string_view call_id, std::string_view name);
  // It has come whole; the ID is the one that it began with.
  void saw_whole_call(std::string_view call_id);
  // Calls that began and never came whole, with no arguments.
  const std::vector<event::ToolCall>& cut_calls() const { return cut_calls_; }

  const std::vector<Segment>& segments() const { return segments_; }
  std::vector<event::ToolCall> calls() const;
  std::string text() const;
  bool empty() const { return segments_.empty() && cut_calls_.empty(); }
  // Anything beside text.
  bool has_protocol_item() const;
  // Text, or a call that only the parser has seen: what one continuation may pick up (R16).  A completed call or an
  // item of the answer rules it out (R18); the model's reasoning is neither.
  bool is_recoverable() const;

 private:
  std::vector<Segment> segments_;
  std::vector<event::ToolCall> cut_calls_;
};

}  // namespace magi::code
