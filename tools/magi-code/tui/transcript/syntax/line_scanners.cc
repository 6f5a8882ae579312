// Formats whose lines say what they are.
#include "tools/magi-code/tui/transcript/syntax/language.h"

namespace magi::code::tui::syntax {
namespace {

std::size_t find_or_end(std::string_view line, std::string_view what, std::size_t from) {
  const std::size_t at = line.find(what, from);
  return at == std::string_view::npos ? line.size() : at;
}

// Behind a quoted string that begins at `at`.
std::size_t behind_string(std::string_view line, std::size_t at, bool escapes) {
  const char quote = line[at];
  for (++at; at < line.size(); ++at) {
    if (escapes && line[at] == '\\')
      ++at;
    else if (line[at] == quote)
      return at + 1;
  }
  return line.size();
}

bool is_scalar_word(std::string_view word) {
  for (const std::string_view known : {"true", "false", "null", "yes", "no", "on", "off", "~"})
    if (word == known) return true;
  return false;
}

bool is_number(std::string_view word) {
  bool digit = false;
  for (const char c : word) {
    digit = digit || is_digit(c);
    if (!is_digit(c) && std::string_view("+-._eExabcdefABCDEF:").find(c) == std::string_view::npos) return false;
  }
  return digit && (is_digit(word[0]) || word[0] == '-' || word[0] == '+' || word[0] == '.');
}

// Where a plain key ends with a colon; npos where there is none.
std::size_t yaml_key_end(std::string_view line, std::size_t at) {
  if (at < line.size() && (line[at] == '"' || line[at] == '\'')) {
    const std::size_t end = behind_string(line, at, line[at] == '"');
    return end < line.size() && line[end] == ':' ? end : std::string_view::npos;
  }
  for (std::size_t i = at; i < line.size(); ++i) {
    if (line[i] == ':' && (i + 1 == line.size() || is_blank(line[i + 1]))) return i;
    if (line[i] == '#' && i > at && is_blank(line[i - 1])) return std::string_view::npos;
  }
  return std::string_view::npos;
}

void yaml_value(std::string_view line, std::size_t at, std::vector<Token>& tokens) {
  while ((at = skip_blanks(line, at)) < line.size()) {
    const char c = line[at];
    if (c == '#' && (at == 0 || is_blank(line[at - 1]))) return add(tokens, at, line.size(), Role::kComment);
    if (c == '"' || c == '\'') {
      const std::size_t end = behind_string(line, at, c == '"');
      add(tokens, at, end, Role::kString);
      at = end;
      continue;
    }
    if (std::string_view("[]{},|>").find(c) != std::string_view::npos) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end]) &&
           std::string_view(",]}").find(line[end]) == std::string_view::npos)
      ++end;
    if (end == at) end = at + 1;
    const std::string_view word = line.substr(at, end - at);
    if (c == '&' || c == '*' || c == '!')
      add(tokens, at, end, Role::kType);
    else if (is_scalar_word(word))
      add(tokens, at, end, Role::kKeyword);
    else if (is_number(word))
      add(tokens, at, end, Role::kNumber);
    at = end;
  }
}

enum Markup : std::uint8_t { kText, kTag, kDoubleQuoted, kSingleQuoted, kMarkupComment };

// One step inside a tag; the place behind it.
std::size_t markup_tag(State& state, std::string_view line, std::size_t at, std::vector<Token>& tokens) {
  const char c = line[at];
  if (c == '>') {
    state.mode = kText;
    return at + 1;
  }
  if (c == '"' || c == '\'') {
    const std::size_t end = find_or_end(line, line.substr(at, 1), at + 1);
    const bool closed = end < line.size();
    if (!closed) state.mode = c == '"' ? kDoubleQuoted : kSingleQuoted;
    add(tokens, at, end + (closed ? 1 : 0), Role::kString);
    return end + (closed ? 1 : 0);
  }
  if (!is_name_start(c)) return at + 1;
  std::size_t end = at;
  while (end < line.size() &&
         (is_name(line[end]) || std::string_view("-:.@").find(line[end]) != std::string_view::npos))
    ++end;
  add(tokens, at, end, Role::kType);
  return end;
}

std::size_t markup_text(State& state, std::string_view line, std::size_t at, std::vector<Token>& tokens) {
  const char c = line[at];
  if (c == '&') {
    const std::size_t end = line.find(';', at);
    if (end == std::string_view::npos || end - at > 10) return at + 1;
    add(tokens, at, end + 1, Role::kNumber);
    return end + 1;
  }
  if (c != '<') return at + 1;
  if (line.substr(at).starts_with("<!--")) {
    state.mode = kMarkupComment;
    return at;
  }
  std::size_t end = at + 1;
  while (end < line.size() && (line[end] == '/' || line[end] == '!' || line[end] == '?')) ++end;
  const std::size_t word = end;
  while (end < line.size() && (is_name(line[end]) || line[end] == '-' || line[end] == ':')) ++end;
  if (end == word) return at + 1;
  state.mode = kTag;
  add(tokens, word, end, Role::kKeyword);
  return end;
}

bool starts_list(std::string_view line, std::size_t at) {
  if (at + 1 >= line.size()) return false;
  if (std::string_view("-*+").find(line[at]) != std::string_view::npos) return line[at + 1] == ' ';
  std::size_t end = at;
  while (end < line.size() && is_digit(line[end])) ++end;
  return end > at && end + 1 < line.size() && (line[end] == '.' || line[end] == ')') && line[end + 1] == ' ';
}

}  // namespace

void lex_yaml(State&, std::string_view line, std::vector<Token>& tokens) {
  std::size_t at = skip_blanks(line, 0);
  if (at == 0 && (line == "---" || line == "...")) return add(tokens, 0, line.size(), Role::kHeading);
  while (at < line.size() && line[at] == '-' && (at + 1 == line.size() || is_blank(line[at + 1])))
    at = skip_blanks(line, at + 1);
  if (at < line.size() && line[at] != '#')
    if (const std::size_t colon = yaml_key_end(line, at); colon != std::string_view::npos) {
      add(tokens, at, colon, Role::kType);
      at = colon + 1;
    }
  yaml_value(line, at, tokens);
}

void lex_markup(State& state, std::string_view line, std::vector<Token>& tokens) {
  std::size_t at = 0;
  while (at < line.size()) {
    switch (state.mode) {
      case kMarkupComment: {
        const std::size_t close = line.find("-->", at);
        const std::size_t end = close == std::string_view::npos ? line.size() : close + 3;
        add(tokens, at, end, Role::kComment);
        if (close != std::string_view::npos) state.mode = kText;
        at = end;
        break;
      }
      case kDoubleQuoted:
      case kSingleQuoted: {
        const std::size_t close = line.find(state.mode == kDoubleQuoted ? '"' : '\'', at);
        const std::size_t end = close == std::string_view::npos ? line.size() : close + 1;
        add(tokens, at, end, Role::kString);
        if (close != std::string_view::npos) state.mode = kTag;
        at = end;
        break;
      }
      case kTag: at = markup_tag(state, line, at, tokens); break;
      default: at = markup_text(state, line, at, tokens);
    }
  }
}

// `mode` 1: inside a fence.
void lex_markdown(State& state, std::string_view line, std::vector<Token>& tokens) {
  const std::size_t begin = skip_blanks(line, 0);
  const std::string_view text = line.substr(begin);
  if (text.starts_with("```") || text.starts_with("~~~")) {
    state.mode ^= 1;
    return add(tokens, begin, line.size(), Role::kComment);
  }
  if (state.mode != 0) return add(tokens, 0, line.size(), Role::kString);
  if (text.starts_with('#')) return add(tokens, begin, line.size(), Role::kHeading);
  if (text.starts_with('>')) return add(tokens, begin, line.size(), Role::kQuote);
  std::size_t at = begin;
  if (starts_list(line, begin)) {
    at = line.find(' ', begin);
    add(tokens, begin, at, Role::kKeyword);
  }
  while ((at = find_or_end(line, "`", at)) < line.size()) {
    const std::size_t close = line.find('`', at + 1);
    if (close == std::string_view::npos) return;
    add(tokens, at, close + 1, Role::kString);
    at = close + 1;
  }
}

void lex_diff(State&, std::string_view line, std::vector<Token>& tokens) {
  if (line.empty()) return;
  const auto whole = [&](Role role) { add(tokens, 0, line.size(), role); };
  if (line.starts_with("@@")) return whole(Role::kAccent);
  for (const std::string_view head : {"diff ", "index ", "+++", "---", "rename ", "new file", "deleted file"})
    if (line.starts_with(head)) return whole(Role::kHeading);
  if (line[0] == '+') return whole(Role::kAdded);
  if (line[0] == '-') return whole(Role::kRemoved);
}

void lex_make(State& state, std::string_view line, std::vector<Token>& tokens) {
  const std::size_t begin = skip_blanks(line, 0);
  if (begin < line.size() && line[begin] == '#') return add(tokens, begin, line.size(), Role::kComment);
  if (line.starts_with('\t') || state.mode != 0 || begin >= line.size()) {
    static const Language* const shell = find_language("sh");
    State inner;
    lex_with_tables(*shell, inner, line, tokens);
    return;
  }
  const std::size_t operation = line.find_first_of(":=", begin);
  std::size_t word = begin;
  while (word < line.size() && is_name(line[word])) ++word;
  if (word < line.size() && line[word] == ' ' && word > begin &&
      (operation == std::string_view::npos || operation > word)) {
    bool capital = true;
    for (std::size_t i = begin; i < word; ++i) capital = capital && (line[i] < 'a' || line[i] > 'z');
    static constexpr std::string_view kDirectives[] = {"define", "else", "endef",  "endif", "export",
                                                       "ifdef",  "ifeq", "ifndef", "ifneq", "include"};
    bool directive = capital;
    for (const std::string_view known : kDirectives) directive = directive || line.substr(begin, word - begin) == known;
    if (directive && (operation == std::string_view::npos || line[word + 1] != '=')) {
      add(tokens, begin, word, Role::kKeyword);
      return;
    }
  }
  if (operation != std::string_view::npos)
    add(tokens, begin, operation, line[operation] == ':' ? Role::kFunction : Role::kType);
}

}  // namespace magi::code::tui::syntax
