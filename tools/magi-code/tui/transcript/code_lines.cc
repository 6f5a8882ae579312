#include "tools/magi-code/tui/transcript/code_lines.h"

#include <string>
#include <vector>

#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

// Escapes and C1 controls: sequences that must be judged whole, before the line is divided into tokens.
bool has_controls(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\t') || c == 0x7F) return true;
    if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

void add_piece(Line& line, int& column, std::string_view raw, Role role) {
  const std::string safe = visible(raw, column);
  column += columns_of(safe);
  append_text(line, safe, {role});
}

}  // namespace

Line colour_line(std::string_view raw, const syntax::Language* language, syntax::State& state) {
  if (raw.ends_with('\r')) raw.remove_suffix(1);
  std::string made_safe;
  if (has_controls(raw)) raw = made_safe = visible(raw);
  Line line;
  int column = 0;
  if (!language) {
    add_piece(line, column, raw, Role::kCode);
    return line;
  }
  std::vector<syntax::Token> tokens;
  syntax::lex_line(*language, state, raw, tokens);
  std::size_t at = 0;
  for (const syntax::Token& token : tokens) {
    if (token.begin < at || token.end > raw.size()) continue;
    add_piece(line, column, raw.substr(at, token.begin - at), Role::kCode);
    add_piece(line, column, raw.substr(token.begin, token.end - token.begin), token.role);
    at = token.end;
  }
  add_piece(line, column, raw.substr(at), Role::kCode);
  return line;
}

void lay_code(LaidLines& out, std::string_view text, const syntax::Language* language, syntax::State state, int indent,
              int columns, const Prefix& prefix) {
  Prefix next = prefix;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    for (int i = 0; i < indent && line.starts_with(' '); ++i) line.remove_prefix(1);
    lay(out, colour_line(line, language, state), columns, next, Wrapping::kExact);
    next.first = prefix.rest;
    next.first_decoration = bytes_of(prefix.rest);
  }
}

}  // namespace magi::code::tui
