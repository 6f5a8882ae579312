// Events as a run tells them, in short.
#pragma once

#include <string>
#include <string_view>

#include "tools/magi-code/tui/transcript/transcript.h"

namespace magi::code::tui {

inline event::ToolCall call(std::string_view id, std::string_view name, std::string_view arguments) {
  event::ToolCall call;
  call.call_id = id;
  call.name = name;
  call.arguments = arguments;
  return call;
}

inline event::ToolProgress progress(std::string_view id, std::string_view text, std::string_view name = {}) {
  event::ToolProgress progress;
  progress.call_id = id;
  progress.name = name;
  progress.text = text;
  return progress;
}

inline event::ToolAnswer answer(std::string_view id, std::string_view status, std::string_view output,
                                std::string_view details = {}) {
  event::ToolAnswer answer;
  answer.call_id = id;
  answer.status = status;
  answer.output = output;
  answer.details.json = details;
  return answer;
}

inline CompactionRecord compaction(std::string_view status, std::string_view summary = {}) {
  CompactionRecord record;
  record.status = status;
  record.trigger = "automatic";
  record.summary = summary;
  if (status == "completed") {
    record.generation = 2;
    record.tokens_before = 180'000;
    record.tokens_after = 24'000;
  }
  return record;
}

inline Delivered delivered(std::string_view id) {
  Delivered record;
  record.id = id;
  return record;
}

}  // namespace magi::code::tui
