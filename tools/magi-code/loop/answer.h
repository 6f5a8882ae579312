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
  void saw_tool_progress() { tool_progress_ = true; }

  const std::vector<Segment>& segments() const { return segments_; }
  std::vector<event::ToolCall> calls() const;
  std::string text() const;
  bool empty() const { return segments_.empty() && !tool_progress_; }
  // A completed call or item: an answer that holds one is never continued (R18).
  bool has_protocol_item() const;
  // Text, or a call that only the parser has seen: what one continuation may pick up (R16).
  bool is_recoverable() const { return !has_protocol_item() && !empty(); }

 private:
  std::vector<Segment> segments_;
  bool tool_progress_ = false;
};

}  // namespace magi::code
