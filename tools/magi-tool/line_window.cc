#include "tools/magi-tool/line_window.h"

#include <algorithm>

#include "libcommon/base/utf8.h"
#include "tools/magi-tool/byte_search.h"

namespace magi::toolbox {

void LineWindow::end_line() {
  if (line_ >= window_.offset && !full_) show_line();
  current_.clear();
  current_bytes_ = 0;
  digest_ = {};
}

void LineWindow::show_line() {
  const bool whole = current_bytes_ == current_.size();
  const bool crlf = whole && current_.ends_with('\r');
  // What is cut off may have begun a character; that is no damage of the file.
  if (crlf)
    current_.pop_back();
  else if (!whole)
    current_.resize(current_.size() - incomplete_end(current_));
  std::uint64_t replaced = 0;
  std::string text = visible(utf8::sanitize(current_, &replaced));
  if (!whole || utf8::count(text) > kLineCharacters) {
    text.resize(utf8::prefix_bytes(text, kLineCharacters));
    text += "[... a line of " + std::to_string(current_bytes_) + " bytes]";
  }
  const std::string head =
      window_.anchors ? digest_.anchor(static_cast<std::size_t>(line_)) + '|' : std::to_string(line_) + '\t';
  text = head + text + '\n';
  const std::size_t characters = utf8::count(text);
  full_ = line_ - window_.offset >= window_.limit || (used_ + characters > window_.characters && used_ > 0);
  if (full_) return;
  out_ += text;
  used_ += characters;
  last_ = line_;
  replaced_ += replaced;
  if (crlf) ++crlf_;
}

void LineWindow::take(std::string_view piece) {
  while (!piece.empty()) {
    // Behind the window lines are only counted.
    if (full_) {
      line_ += static_cast<std::int64_t>(count_lines(piece));
      column_start_ = piece.back() == '\n';
      return;
    }
    const std::size_t end = std::min(piece.find('\n'), piece.size());
    const bool ends = end < piece.size();
    if (line_ >= window_.offset) {
      if (current_.size() < kKeptBytes) current_.append(piece.substr(0, std::min(end, kKeptBytes - current_.size())));
      current_bytes_ += end;
      if (window_.anchors) digest_.add(piece.substr(0, end));
    }
    column_start_ = ends;
    if (ends) {
      end_line();
      ++line_;
    }
    piece.remove_prefix(std::min(end + 1, piece.size()));
  }
}

void LineWindow::finish() {
  at_end_ = true;
  if (!column_start_) end_line();
}

}  // namespace magi::toolbox
