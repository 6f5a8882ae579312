// Sessions as text, replayed as magi-replay does, for the tests of libcommon/context.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/event/stream.h"

namespace magi::context::test {

// A line of session "s1", LF included.
std::string line(std::string_view event_type, std::string_view event_id, std::string_view payload);

std::string user(std::string_view turn, std::string_view text);
std::string assistant(std::string_view turn, std::string_view text);
std::string call(std::string_view turn, std::string_view call_id);
std::string result(std::string_view turn, std::string_view call_id, std::string_view output);
std::string turn_end(std::string_view turn, std::string_view status = "completed");
std::string checkpoint(int generation, std::string_view summary);

struct Replayed {
  std::string error;                 // empty: it worked
  std::string stream;                // `conversation` to `end`
  std::vector<std::string> records;  // between the two, without LF
  std::vector<std::string> notices;
  event::End end;
  // type and its telling field, one record a line: "tool_call c1", "user text".
  std::string outline() const;
};
Replayed replay(std::string_view session, std::string_view until = {});

// Why the stream is not one that magi-replay may write; empty when it is.  Checks JSON, frame, digest, count, and that
// each group of calls is followed by exactly its results.
std::string complaint(const std::string& stream);

std::string read_file(const std::string& path);

}  // namespace magi::context::test
