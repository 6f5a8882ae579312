#include "tools/magi-code/tui/transcript/find_in_lines.h"

#include <algorithm>

namespace magi::code::tui {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// What may stand inside of a word in Markdown and is not drawn.
bool is_markup(char c) { return std::string_view("*_`~\\[]&").find(c) != std::string_view::npos; }

// The text of lines in one piece, a blank for each break, with the place of each byte.
struct Flat {
  std::string text;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;  // line, byte

  void add(char c, std::size_t line, std::size_t byte) {
    if (c == ' ' && (text.empty() || text.back() == ' ')) return;
    text += c;
    places.emplace_back(static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(byte));
  }
};

Flat flatten(const LaidLines& lines) {
  Flat flat;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::size_t byte = 0;
    for (const Span& span : lines[i].line.spans)
      for (const char c : span.text) {
        if (byte >= lines[i].decoration) flat.add(c, i, byte);
        ++byte;
      }
    if (!lines[i].exact || !lines[i].continues) flat.add(' ', i, byte);
  }
  return flat;
}

}  // namespace

Needle::Needle(std::string_view query) {
  for (const char c : query)
    if (const char blank = c == '\n' || c == '\t' ? ' ' : c; blank != ' ' || (!text_.empty() && text_.back() != ' '))
      text_ += blank;
  ignores_case_ = std::none_of(text_.begin(), text_.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = std::min(text_.find(' ', at), text_.size());
    if (end - at > word_.size()) word_ = text_.substr(at, end - at);
    at = end + 1;
  }
  std::erase_if(word_, is_markup);
}

bool Needle::may_be_in(std::string_view source) const {
  if (word_.empty()) return true;
  for (std::size_t begin = 0; begin < source.size(); ++begin) {
    if ((ignores_case_ ? lower(source[begin]) : source[begin]) != word_[0]) continue;
    std::size_t matched = 1;
    for (std::size_t at = begin + 1; at < source.size() && matched < word_.size(); ++at) {
      if ((ignores_case_ ? lower(source[at]) : source[at]) == word_[matched])
        ++matched;
      else if (!is_markup(source[at]))
        break;
    }
    if (matched == word_.size()) return true;
  }
  return false;
}

std::vector<MatchPiece> Needle::find(const LaidLines& lines) const {
  std::vector<MatchPiece> pieces;
  if (text_.empty()) return pieces;
  Flat flat = flatten(lines);
  if (ignores_case_) std::transform(flat.text.begin(), flat.text.end(), flat.text.begin(), lower);
  std::uint32_t match = 0;
  for (std::size_t at = flat.text.find(text_); at != std::string::npos; at = flat.text.find(text_, at + text_.size())) {
    for (std::size_t i = at; i < at + text_.size(); ++i) {
      const auto [line, byte] = flat.places[i];
      if (i == at || pieces.back().line != line)
        pieces.push_back({match, line, byte, byte + 1});
      else
        pieces.back().end = byte + 1;
    }
    ++match;
  }
  return pieces;
}

std::uint32_t Needle::count(const LaidLines& lines) const {
  const std::vector<MatchPiece> pieces = find(lines);
  return pieces.empty() ? 0 : pieces.back().match + 1;
}

}  // namespace magi::code::tui
