#include "tools/magi-tool/text.h"

#include <algorithm>

#include "libcommon/base/utf8.h"

namespace magi::toolbox {
namespace {

// Bytes at the start of `text` that continue a character begun before it.
std::size_t continued_start(std::string_view text) {
  std::size_t count = 0;
  while (count < std::min<std::size_t>(text.size(), 3) && (static_cast<unsigned char>(text[count]) & 0xc0) == 0x80)
    ++count;
  return count;
}

}  // namespace

std::size_t incomplete_end(std::string_view text) {
  const std::size_t look = std::min<std::size_t>(text.size(), 3);
  for (std::size_t back = 1; back <= look; ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xc0) == 0x80) continue;
    const std::size_t needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}

std::string one_line(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::none_of(name.begin(), name.end(), is_control)) return visible(std::string(name));
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : name) {
    if (!is_control(c))
      out += c;
    else if (c == '\n')
      out += "\\n";
    else
      out.append("\\x").append({kHex[c >> 4 & 15], kHex[c & 15]});
  }
  return visible(std::move(out));
}

void append_clipped(std::string& out, std::string_view line, std::size_t characters) {
  if (line.size() <= characters || utf8::count(line) <= characters) {
    out += line;
    return;
  }
  const std::size_t kept = utf8::prefix_bytes(line, characters);
  out.append(line.substr(0, kept))
      .append("[... ")
      .append(std::to_string(utf8::count(line.substr(kept))))
      .append(" more characters]");
}

std::string counted(std::int64_t count, std::string_view singular, std::string_view plural) {
  return std::to_string(count).append(" ").append(count == 1 ? singular : plural);
}

void HeadTail::append(std::string_view bytes) {
  if (head_.size() < head_limit_) {
    const std::size_t taken = std::min(bytes.size(), head_limit_ - head_.size());
    head_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
  }
  if (bytes.empty()) return;
  tail_.append(bytes);
  // Cut back rarely: moving the tail for each piece would cost more than keeping twice as much.
  if (tail_.size() < 2 * tail_limit_) return;
  dropped_ += tail_.size() - tail_limit_;
  tail_.erase(0, tail_.size() - tail_limit_);
}

std::string HeadTail::text(std::int64_t* omitted) const {
  std::string_view head = head_, tail = tail_;
  std::uint64_t missing = dropped_;
  if (missing > 0 || tail.size() > tail_limit_) {
    if (tail.size() > tail_limit_) {
      missing += tail.size() - tail_limit_;
      tail.remove_prefix(tail.size() - tail_limit_);
    }
    const std::size_t cut_end = incomplete_end(head), cut_start = continued_start(tail);
    head.remove_suffix(cut_end);
    tail.remove_prefix(cut_start);
    missing += cut_end + cut_start;
  }
  if (omitted != nullptr) *omitted = static_cast<std::int64_t>(missing);
  std::string out;
  out.reserve(head.size() + tail.size() + 64);
  out += head;
  if (missing > 0) out += "\n[... " + std::to_string(missing) + " bytes omitted ...]\n";
  return out += tail;
}

void HeadTail::limit_head(std::size_t head_bytes) {
  head_limit_ = std::min(head_limit_, head_bytes);
  if (head_.size() <= head_limit_) return;
  dropped_ += head_.size() - head_limit_;
  head_.resize(head_limit_);
  head_.shrink_to_fit();
}

void HeadTail::clear() {
  head_.clear();
  tail_.clear();
  dropped_ = 0;
}

}  // namespace magi::toolbox
