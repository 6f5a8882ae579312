// The lines of a session file for the second pass.
#pragma once

#include <cstdint>
#include <memory>

#include "libcommon/context/line_source.h"

namespace magi::context {

// Reads with pread(2): forwards in large steps, elsewhere exactly what is asked for.  Does not own the descriptor.
class FileLines : public LineSource {
 public:
  // Offset 0 is at `base` of the file.
  FileLines(int fd, std::uint64_t base) : fd_(fd), base_(base) {}

  Result<std::string_view> fetch(std::uint64_t offset, std::size_t size) override;

 private:
  Result<void> read_at(std::uint64_t offset, char* to, std::size_t size, std::size_t at_least, std::size_t& got);
  Result<std::string_view> fetch_aside(std::uint64_t offset, std::size_t size);

  int fd_;
  std::uint64_t base_;
  std::unique_ptr<char[]> window_, aside_;
  std::size_t window_capacity_ = 0, aside_capacity_ = 0;
  std::uint64_t window_offset_ = 0;
  std::size_t window_size_ = 0;
};

}  // namespace magi::context
