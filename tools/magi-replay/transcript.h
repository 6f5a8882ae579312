// magi-replay --pretty: the records of a conversation as text for people.  Nothing that a session holds can control the
// terminal: control characters and invisible direction marks are shown as escapes.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/json/node.h"

namespace magi::replay {

class Transcript {
 public:
  // `records`: whole lines of the stream.
  Result<void> append(std::string_view records, std::string& out);

 private:
  void append_record(const json::Node& record, std::string& out);
  void append_block(std::string& out, std::string_view title, std::string_view text);

  json::Parser parser_;
  bool is_first_ = true;
};

}  // namespace magi::replay
