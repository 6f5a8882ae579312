#include "tools/magi-code/tui/transcript/laid_line.h"

#include <algorithm>

namespace magi::code::tui {
namespace {

constexpr int kLeastColumns = 8;  // that wrap() leaves beside an indent

}  // namespace

std::uint16_t bytes_of(const Line& line) {
  std::size_t bytes = 0;
  for (const Span& span : line.spans) bytes += span.text.size();
  return static_cast<std::uint16_t>(std::min<std::size_t>(bytes, UINT16_MAX));
}

void append_text(Line& line, std::string_view text, Style style) {
  if (text.empty()) return;
  if (!line.spans.empty() && line.spans.back().style == style)
    line.spans.back().text += text;
  else
    line.spans.push_back({std::string(text), style});
}

void lay(LaidLines& out, const Line& line, int columns, const Prefix& prefix, Wrapping wrapping) {
  const Indent indent{prefix.first, prefix.rest};
  const bool indented = columns - columns_of(prefix.first) >= kLeastColumns;
  std::vector<Line> lines =
      wrapping == Wrapping::kWords ? wrap(line, columns, indent) : wrap_exact(line, columns, indent);
  const std::uint16_t rest = bytes_of(prefix.rest);
  const std::string whole = lines.size() > 1 && wrapping == Wrapping::kWords ? plain_text(line) : std::string();
  std::size_t at = 0;  // of `whole`, behind the lines so far
  for (std::size_t i = 0; i < lines.size(); ++i) {
    LaidLine laid;
    laid.line = std::move(lines[i]);
    if (indented) laid.decoration = i == 0 ? prefix.first_decoration : rest;
    laid.continues = i + 1 < lines.size();
    laid.exact = wrapping == Wrapping::kExact;
    if (!whole.empty()) {
      const std::size_t indent = !indented ? 0 : i == 0 ? bytes_of(prefix.first) : rest;
      at += plain_text(laid.line).size() - indent;
      laid.exact = at < whole.size() && whole[at] != ' ';
      at = std::min(whole.find_first_not_of(' ', at), whole.size());
    }
    out.push_back(std::move(laid));
  }
}

}  // namespace magi::code::tui
