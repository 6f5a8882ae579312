#include "libcommon/context/file_lines.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace magi::context {
namespace {

constexpr std::size_t kStepBytes = 256 * 1024;

void grow(std::unique_ptr<char[]>& buffer, std::size_t& capacity, std::size_t wanted) {
  if (capacity >= wanted) return;
  capacity = std::max(wanted, kStepBytes);
  buffer.reset(new char[capacity]);
}

}  // namespace

Result<void> FileLines::read_at(std::uint64_t offset, char* to, std::size_t size, std::size_t at_least,
                                std::size_t& got) {
  got = 0;
  while (got < at_least) {
    const ssize_t count = ::pread(fd_, to + got, size - got, static_cast<off_t>(base_ + offset + got));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("cannot read the session again", errno);
    if (count == 0) return make_error(ErrorCode::kIo, "the session was changed while it was read");
    got += static_cast<std::size_t>(count);
  }
  return {};
}

// A jump back must not cost a whole step, or a file whose results stand far from their calls would be read many times.
Result<std::string_view> FileLines::fetch_aside(std::uint64_t offset, std::size_t size) {
  grow(aside_, aside_capacity_, size);
  std::size_t got = 0;
  MAGI_CHECK(read_at(offset, aside_.get(), size, size, got));
  return std::string_view(aside_.get(), size);
}

Result<std::string_view> FileLines::fetch(std::uint64_t offset, std::size_t size) {
  if (offset >= window_offset_ && offset + size <= window_offset_ + window_size_)
    return std::string_view(window_.get() + (offset - window_offset_), size);
  if (offset < window_offset_) return fetch_aside(offset, size);
  const std::size_t wanted = std::max(size, kStepBytes);
  if (window_capacity_ < wanted) {
    window_size_ = 0;
    grow(window_, window_capacity_, wanted);
  }
  window_offset_ = offset;
  window_size_ = 0;
  MAGI_CHECK(read_at(offset, window_.get(), window_capacity_, size, window_size_));
  return std::string_view(window_.get(), size);
}

}  // namespace magi::context
