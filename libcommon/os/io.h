// Bytes and lines over descriptors.  Only LF ends a line.  Everything retries EINTR; nothing here owns a descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::os {

// Readable bytes behind every line handed out, so that a parser may read past its end (json::kPadding).
inline constexpr std::size_t kLinePadding = 64;

// Blocks until all is written; on a non-blocking descriptor it polls.  A closed reader is the error text of EPIPE.
Result<void> write_all(int fd, std::string_view bytes);

// One read(2): bytes read, 0 at the end.  Blocks as the descriptor does.
Result<std::size_t> read_some(int fd, char* buffer, std::size_t size);

// Everything up to the end; kLimit when that is more than `max_bytes`.
Result<std::string> read_all(int fd, std::size_t max_bytes);

// Bytes in, lines out, for event loops.  A line view is valid until the next call of prepare(), push() or next().
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  void push(std::string_view bytes);
  // The same without a copy: room for `size` bytes to read into, then how many came.
  char* prepare(std::size_t size);
  void commit(std::size_t size) { end_ += size; }

  // The next line without its LF; nothing when more bytes are needed.  kLimit for a line over the limit: that line
  // alone is skipped and the next call goes on behind it.
  Result<std::optional<std::string_view>> next();
  // After the last byte, once next() gave nothing: what follows the last LF, if anything.
  std::optional<std::string_view> rest();

  // Offset, from the first byte pushed, of the start of the line that was handed out (or skipped) last.
  std::uint64_t offset() const { return line_offset_; }
  // Bytes held that no line has been made of.
  std::size_t pending() const { return end_ - begin_; }

 private:
  // The next `size` bytes as a line; `size + terminator` bytes are used up.
  std::string_view take(std::size_t size, std::size_t terminator);
  Error too_long() const;

  std::size_t max_line_bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;  // without the padding
  std::size_t begin_ = 0;     // first byte of no line yet
  std::size_t scanned_ = 0;   // no LF in [begin_, scanned_)
  std::size_t end_ = 0;
  std::uint64_t begin_offset_ = 0;  // of begin_ in the stream
  std::uint64_t line_offset_ = 0;
  bool skipping_ = false;  // inside a line over the limit
};

// Lines of a blocking descriptor.  Memory: 256 KiB, or the longest line up to the limit.
class LineReader {
 public:
  LineReader(int fd, std::size_t max_line_bytes) : fd_(fd), splitter_(max_line_bytes) {}

  // The next line without its LF, valid until the next call; nothing at the end.  Errors: kLimit skips just that line
  // and reading may go on; any other is from read(2) and final.
  Result<std::optional<std::string_view>> next();

  // True when the line that next() gave last is the end of the stream and had no LF.
  bool last_was_torn() const { return torn_; }
  // Offset, from where reading began, of the start of the line that next() gave or skipped last.
  std::uint64_t offset() const { return splitter_.offset(); }

 private:
  int fd_;
  LineSplitter splitter_;
  bool at_end_ = false;
  bool torn_ = false;
};

}  // namespace magi::os
