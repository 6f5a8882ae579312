// From the index of a session and its lines to the records of the conversation stream.  The text of a record is the
// JSON text of its line, copied without decoding wherever the rules leave it as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/context/line_source.h"
#include "libcommon/context/replay_index.h"

namespace magi::context {

// What a call without a result is answered with.  The text does not depend on what follows, so that it stays the same
// from request to request.
inline constexpr std::string_view kInterruptedOutput =
    "[interrupted: no result of this call was recorded; it may have run in part and was not run again]";

class StreamRenderer {
 public:
  // Both must outlive this.
  StreamRenderer(const ReplayIndex& index, LineSource& source) : index_(index), source_(source) {}

  // Appends the records that item `at` becomes, of a call those of its whole group, and returns the index behind.
  // Requires: `at` is 0 or was returned before.
  Result<std::size_t> append(std::size_t at, std::string& out);

  // Records appended so far.
  std::int64_t records() const { return records_; }

 private:
  Result<void> append_item(const Item& item, std::string& out);
  Result<void> append_result(std::size_t call_at, std::string& out);
  Result<void> append_checkpoint(const Item& item, std::string& out);

  const ReplayIndex& index_;
  LineSource& source_;
  std::int64_t records_ = 0;
};

// The first record of the stream.  `fallback_id` serves where no event names the session.
void append_conversation(std::string& out, const ReplayIndex& index, std::string_view fallback_id);

}  // namespace magi::context
