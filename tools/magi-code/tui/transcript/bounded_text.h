// Text of any length of which the beginning and the end are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace magi::code::tui {

class BoundedText {
 public:
  BoundedText(std::size_t head_bytes, std::size_t tail_bytes) : head_bytes_(head_bytes), tail_bytes_(tail_bytes) {}

  void append(std::string_view text);
  // Head and tail, each at a line's edge where there is one, with a line between that counts what was left out.
  std::string text() const;
  // The last lines, at most `lines`, without the line end of the last.
  std::string last_lines(std::size_t lines) const;
  std::size_t size() const { return size_; }
  std::size_t kept() const { return head_.size() + tail_.size(); }
  bool empty() const { return size_ == 0; }

 private:
  std::size_t head_bytes_, tail_bytes_, size_ = 0;
  std::string head_, tail_;
};

// The same of a text that is whole.
std::string bounded(std::string_view text, std::size_t head_bytes, std::size_t tail_bytes);

// "12.3 kB"
std::string byte_count(std::uint64_t bytes);

}  // namespace magi::code::tui
