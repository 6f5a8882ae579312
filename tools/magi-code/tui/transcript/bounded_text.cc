#include "tools/magi-code/tui/transcript/bounded_text.h"

#include <algorithm>

#include "libcommon/base/utf8.h"

namespace magi::code::tui {
namespace {

// `text` without the characters and, within reason, the line that its end or beginning cuts.
std::string_view whole_end(std::string_view text) {
  const std::size_t newline = text.rfind('\n');
  if (newline != std::string_view::npos && text.size() - newline < text.size() / 4) return text.substr(0, newline + 1);
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80) != 0) text.remove_suffix(1);
  return text;
}
std::string_view whole_beginning(std::string_view text) {
  const std::size_t newline = text.find('\n');
  if (newline != std::string_view::npos && newline < text.size() / 4) return text.substr(newline + 1);
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80) text.remove_prefix(1);
  return text;
}

std::string joined(std::string_view head, std::string_view tail, std::size_t size) {
  const std::string_view first = whole_end(head), last = whole_beginning(tail);
  std::string out(first);
  if (!out.empty() && out.back() != '\n') out += '\n';
  out += "[… " + byte_count(size - first.size() - last.size()) + " are not kept in view …]\n";
  return out += last;
}

}  // namespace

void BoundedText::append(std::string_view text) {
  size_ += text.size();
  if (head_.size() < head_bytes_) {
    const std::size_t taken = std::min(text.size(), head_bytes_ - head_.size());
    head_ += text.substr(0, taken);
    text.remove_prefix(taken);
  }
  if (text.size() > tail_bytes_) {
    tail_.clear();
    text.remove_prefix(text.size() - tail_bytes_);
  }
  tail_ += text;
  // Twice as much may gather before the beginning goes, so that each byte is moved but once or twice.
  if (tail_.size() > 2 * tail_bytes_) tail_.erase(0, tail_.size() - tail_bytes_);
}

std::string BoundedText::text() const {
  if (size_ == head_.size() + tail_.size()) return head_ + tail_;
  const std::size_t kept = std::min(tail_.size(), tail_bytes_);
  return joined(head_, std::string_view(tail_).substr(tail_.size() - kept), size_);
}

std::string BoundedText::last_lines(std::size_t lines) const {
  std::string text = size_ == head_.size() + tail_.size() ? head_ + tail_ : tail_;
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  std::size_t at = text.size();
  for (std::size_t found = 0; at > 0; --at)
    if (text[at - 1] == '\n' && ++found == lines) break;
  return text.substr(at);
}

std::string bounded(std::string_view text, std::size_t head_bytes, std::size_t tail_bytes) {
  if (text.size() <= head_bytes + tail_bytes) return std::string(text);
  return joined(text.substr(0, head_bytes), text.substr(text.size() - tail_bytes), text.size());
}

std::string byte_count(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  const char* unit = "kB";
  std::uint64_t tenths = bytes / 100;
  if (bytes >= 1'000'000) {
    unit = "MB";
    tenths = bytes / 100'000;
  }
  if (tenths >= 1000) return std::to_string(tenths / 10) + " " + unit;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " + unit;
}

}  // namespace magi::code::tui
