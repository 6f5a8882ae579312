// Transcripts and lines as plain text, for comparing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/screen/surface.h"
#include "tools/magi-code/tui/text/wrap.h"
#include "tools/magi-code/tui/transcript/laid_line.h"
#include "tools/magi-code/tui/transcript/markdown/render.h"
#include "tools/magi-code/tui/transcript/transcript.h"

namespace magi::code::tui {

inline std::string without_trailing_blanks(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

inline std::string text_of(const LaidLines& lines) {
  std::string out;
  for (const LaidLine& line : lines) out += without_trailing_blanks(plain_text(line.line)) + "\n";
  return out;
}

inline std::string markdown(std::string_view source, int columns = 80) {
  LaidLines lines;
  lay_markdown(lines, source, columns);
  return text_of(lines);
}

// The rows of the view, without those at its end that are empty.
inline std::vector<std::string> rows_of(const Transcript& transcript, int columns, int rows) {
  Surface surface(rows, columns);
  transcript.draw(surface, {0, 0, rows, columns});
  std::vector<std::string> out;
  for (int row = 0; row < rows; ++row) {
    std::string text;
    for (int column = 0; column < columns; ++column) text += surface.at(row, column).cluster;
    out.push_back(without_trailing_blanks(std::move(text)));
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

inline std::string drawn(Transcript& transcript, int columns = 80, int rows = 40) {
  transcript.layout(columns, rows);
  std::string out;
  for (const std::string& row : rows_of(transcript, columns, rows)) out += row + "\n";
  return out;
}

// Every line of the transcript at this width, top to bottom.
inline std::string whole(Transcript& transcript, int columns = 80) {
  transcript.layout(columns, 10);
  const auto lines = static_cast<int>(transcript.count_lines());
  transcript.layout(columns, std::max(lines, 1));
  std::string out;
  for (const std::string& row : rows_of(transcript, columns, std::max(lines, 1))) out += row + "\n";
  transcript.layout(columns, 10);
  return out;
}

}  // namespace magi::code::tui
