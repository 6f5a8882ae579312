// Standard output of a tool: bytes are gathered and written when told, or when 64 KiB stand waiting.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::tool {

// What to do when the reader of a pipe has gone away.
enum class ReaderGone {
  kDie,     // end quietly by SIGPIPE, as filters do
  kReport,  // an error value: for processes that have more to do than write
};

// One object a process owns the stream; it must outlive what it gathers: nothing is written by the destructor.
class Stdout {
 public:
  explicit Stdout(ReaderGone reader_gone = ReaderGone::kDie, int fd = 1) : reader_gone_(reader_gone), fd_(fd) {}
  Stdout(const Stdout&) = delete;
  Stdout& operator=(const Stdout&) = delete;

  // To append records to (event::append_record(out.buffer(), record)); settle() afterwards.
  std::string& buffer() { return buffer_; }
  // Writes when much is waiting; blocks as the reader does.
  Result<void> settle() { return buffer_.size() < kLimitBytes ? Result<void>() : flush(); }
  Result<void> write(std::string_view bytes);
  // Everything is with the kernel when this returns without error.  After an error the rest is dropped.
  Result<void> flush();
  // kReport only: an earlier flush found no reader.
  bool reader_is_gone() const { return gone_; }

 private:
  static constexpr std::size_t kLimitBytes = 64 * 1024;

  Result<void> write_now(std::string_view bytes);

  ReaderGone reader_gone_;
  int fd_;
  std::string buffer_;
  bool gone_ = false;
};

}  // namespace magi::tool
