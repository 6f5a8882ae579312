#include "tools/magi-web/text_writer.h"

#include <algorithm>
#include <utility>

namespace magi::web {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

}  // namespace

void TextWriter::begin_line() {
  if (!out_.empty() && wanted_lines_ > 0) {
    while (out_.ends_with(' ')) out_.pop_back();
    out_.append(static_cast<std::size_t>(wanted_lines_), '\n');
    at_start_ = true;
  }
  wanted_lines_ = 0;
  if (!at_start_) return;
  for (Prefix& prefix : prefixes_) out_ += std::exchange(prefix.used, true) ? prefix.others : prefix.first;
  at_start_ = false;
  wants_space_ = false;
}

void TextWriter::put(std::string_view text) {
  begin_line();
  if (std::exchange(wants_space_, false)) out_ += ' ';
  out_ += text;
}

void TextWriter::text(std::string_view text) {
  while (!text.empty()) {
    if (is_space(text.front())) {
      wants_space_ = !at_start_ && wanted_lines_ == 0;
      text.remove_prefix(static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_space) - text.begin()));
      continue;
    }
    const auto end = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_space) - text.begin());
    put(text.substr(0, end));
    text.remove_prefix(end);
  }
}

void TextWriter::preformatted(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) put(line);
    if (end < text.size()) line_break();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void TextWriter::line_break() {
  if (out_.empty()) return;
  ++wanted_lines_;
  wants_space_ = false;
}

void TextWriter::block(int lines) {
  wants_space_ = false;
  if (!out_.empty()) wanted_lines_ = std::max(wanted_lines_, at_start_ ? lines - 1 : lines);
}

void TextWriter::push(std::string_view first, std::string_view others) {
  prefixes_.push_back({std::string(first), std::string(others)});
}

void TextWriter::pop() { prefixes_.pop_back(); }

std::string TextWriter::take() {
  while (!out_.empty() && is_space(out_.back())) out_.pop_back();
  return std::exchange(out_, {});
}

}  // namespace magi::web
