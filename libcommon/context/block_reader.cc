#include "libcommon/context/block_reader.h"

#include <string.h>

#include <algorithm>
#include <cstring>

#include "libcommon/json/node.h"
#include "libcommon/os/io.h"

namespace magi::context {

void PaddedBytes::grow(std::size_t capacity, std::size_t used) {
  if (capacity <= capacity_) return;
  auto larger = std::make_unique_for_overwrite<char[]>(capacity + json::kPadding);
  if (used > 0) std::memcpy(larger.get(), bytes_.get(), used);
  bytes_ = std::move(larger);
  capacity_ = capacity;
}

Result<void> BlockReader::read_more(RawBlock& block) {
  while (!at_end_ && block.size < block.bytes.capacity()) {
    MAGI_TRY(const std::size_t count,
             os::read_some(fd_, block.bytes.data() + block.size, block.bytes.capacity() - block.size));
    block.size += count;
    at_end_ = count == 0;
  }
  return {};
}

// The line that fills the block and more is over the limit: drops it up to its LF.
Result<void> BlockReader::skip_line(RawBlock& block) {
  block.skipped.push_back(block.offset);
  while (true) {
    const auto* lf = static_cast<const char*>(std::memchr(block.bytes.data(), '\n', block.size));
    const std::size_t used = lf ? static_cast<std::size_t>(lf - block.bytes.data()) + 1 : block.size;
    block.offset += used;
    block.size -= used;
    std::memmove(block.bytes.data(), block.bytes.data() + used, block.size);
    if (lf || at_end_) return {};
    MAGI_CHECK(read_more(block));
  }
}

Result<void> BlockReader::fill(RawBlock& block) {
  block.skipped.clear();
  block.offset = offset_;
  block.bytes.grow(std::max(block_bytes_, carry_.size() * 2), 0);
  block.size = carry_.size();
  std::memcpy(block.bytes.data(), carry_.data(), carry_.size());
  carry_.clear();
  const void* last = nullptr;
  while (true) {
    MAGI_CHECK(read_more(block));
    last = ::memrchr(block.bytes.data(), '\n', block.size);
    if (last || at_end_) break;
    if (block.size > max_line_bytes_) {
      MAGI_CHECK(skip_line(block));
    } else {
      // Doubling keeps a long line linear; the limit keeps it bounded.
      block.bytes.grow(std::min(block.bytes.capacity() * 2, max_line_bytes_ + block_bytes_), block.size);
    }
  }
  if (!at_end_) {
    const auto whole = static_cast<std::size_t>(static_cast<const char*>(last) - block.bytes.data()) + 1;
    carry_.assign(block.bytes.data() + whole, block.size - whole);
    block.size = whole;
  }
  offset_ = block.offset + block.size;
  return {};
}

}  // namespace magi::context
