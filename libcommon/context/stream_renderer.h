// From the index of a session and its lines to the records of the conversation stream.  The text of a record is the JSON
// text of its line, copied without decoding wherever the rules leave it as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/context/replay_index.h"

namespace magi::context {

// Where the session's bytes come from the second time.
class LineSource {
 public:
  virtual ~LineSource() = default;
  // The `size` bytes at `offset`, valid until the next call.  Error: they are not there any more.
  virtual Result<std::string_view> fetch(std::uint64_t offset, std::size_t size) = 0;
};

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
  class Texts;
  struct Shown;

  Result<Texts> texts_of(const Item& item);
  Result<void> append_item(const Item& item, std::string& out);
  Result<void> append_result(std::size_t call_at, std::string& out);
  Result<void> append_checkpoint(const Item& item, std::string& out);
  Result<Shown> show(std::size_t call_at, const Item& result);
  Result<std::string> tool_name(const Item& call);

  const ReplayIndex& index_;
  LineSource& source_;
  std::int64_t records_ = 0;
};

// The first record of the stream.  `fallback_id` serves where no event names the session.
void append_conversation(std::string& out, const ReplayIndex& index, std::string_view fallback_id);

}  // namespace magi::context
