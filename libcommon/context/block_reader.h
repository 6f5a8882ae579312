// Reads a file in blocks that end with a line.  Private to libcommon/context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::context {

// Bytes with kPadding readable ones behind them.
class PaddedBytes {
 public:
  char* data() { return bytes_.get(); }
  const char* data() const { return bytes_.get(); }
  std::size_t capacity() const { return capacity_; }
  // Keeps the first `used` bytes.
  void grow(std::size_t capacity, std::size_t used);
  // Gives large memory back.
  void shrink(std::size_t above) {
    if (capacity_ > above) bytes_.reset(), capacity_ = 0;
  }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
};

struct RawBlock {
  PaddedBytes bytes;
  std::size_t size = 0;                // whole lines; only the last block may lack its last LF
  std::uint64_t offset = 0;            // of its first byte
  std::vector<std::uint64_t> skipped;  // where lines over the limit stood, before the first
};

class BlockReader {
 public:
  BlockReader(int fd, std::size_t block_bytes, std::size_t max_line_bytes)
      : fd_(fd), block_bytes_(block_bytes), max_line_bytes_(max_line_bytes) {}

  // Fills `block`.  At the end it is empty and at_end() true.  Blocks; error: that of read(2).
  Result<void> fill(RawBlock& block);
  bool at_end() const { return at_end_; }

 private:
  Result<void> read_more(RawBlock& block);
  Result<void> skip_line(RawBlock& block);

  int fd_;
  std::size_t block_bytes_, max_line_bytes_;
  std::string carry_;  // the beginning of the next block's first line
  std::uint64_t offset_ = 0;
  bool at_end_ = false;
};

}  // namespace magi::context
