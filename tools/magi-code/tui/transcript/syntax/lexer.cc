#include "tools/magi-code/tui/transcript/syntax/lexer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tools/magi-code/tui/transcript/syntax/language.h"

namespace magi::code::tui::syntax {
namespace {

enum Mode : std::uint8_t { kPlain, kComment, kString, kRustString, kCppString, kHere, kBracket };

bool contains(Words sorted, std::string_view word) { return std::binary_search(sorted.begin(), sorted.end(), word); }

// One line on its way through the engine.
class Scan {
 public:
  Scan(const Language& language, State& state, std::string_view line, std::vector<Token>& tokens)
      : language_(language), state_(state), line_(line), tokens_(tokens) {}

  void run() {
    if (state_.mode == kHere) return here_line();
    if (state_.mode == kPlain && language_.has(kSections) && section()) return;
    while (at_ < line_.size()) step();
    end_of_line();
  }

 private:
  std::string_view rest() const { return line_.substr(at_); }
  bool at_line_start() const { return skip_blanks(line_, 0) == at_; }

  void step() {
    switch (state_.mode) {
      case kComment: return comment();
      case kString: return string();
      case kRustString: return until_closing('"', '#');
      case kCppString: return cpp_string();
      case kBracket: return until_closing(']', '=');
      default: return plain();
    }
  }

  void plain() {
    if (is_blank(line_[at_])) {
      ++at_;
      return;
    }
    if (comment_begins() || raw_string_begins() || quote_begins() || special() || number() || name()) return;
    ++at_;
  }

  // --- Comments ---
  bool comment_begins() {
    if (language_.has(kWordComments) && at_ > 0 && !is_blank(line_[at_ - 1]) && line_[at_ - 1] != ';') return false;
    for (const std::string_view open : language_.line_comments) {
      if (!rest().starts_with(open)) continue;
      add(tokens_, at_, line_.size(), Role::kComment);
      at_ = line_.size();
      return true;
    }
    if (language_.comment_open.empty() || !rest().starts_with(language_.comment_open)) return false;
    state_.mode = kComment;
    state_.depth = 1;
    begin_ = at_;
    at_ += language_.comment_open.size();
    if (at_ >= line_.size()) add(tokens_, begin_, line_.size(), Role::kComment);
    return true;
  }

  void comment() {
    const std::string_view open = language_.comment_open, close = language_.comment_close;
    for (; at_ < line_.size(); ++at_) {
      if (rest().starts_with(close)) {
        at_ += close.size();
        if (--state_.depth == 0) {
          finish(Role::kComment);
          return;
        }
        --at_;
      } else if (language_.has(kNestedComments) && state_.depth < 1000 && rest().starts_with(open)) {
        ++state_.depth;
        at_ += open.size() - 1;
      }
    }
    add(tokens_, begin_, line_.size(), Role::kComment);
  }

  // --- Strings ---
  bool quote_begins() {
    for (std::size_t i = 0; i < language_.quotes.count; ++i) {
      const Quote& quote = language_.quotes.first[i];
      if (!rest().starts_with(quote.open)) continue;
      if (quote.open == "'" && language_.has(kLifetimes) && lifetime()) return true;
      state_.mode = kString;
      state_.index = static_cast<std::uint8_t>(i);
      state_.depth = language_.has(kPrefixedStrings) && raw_prefix() ? 1 : 0;
      begin_ = at_;
      at_ += quote.open.size();
      if (at_ >= line_.size()) add(tokens_, begin_, line_.size(), Role::kString);
      return true;
    }
    return false;
  }

  bool raw_prefix() const {
    return at_ > 0 && (line_[at_ - 1] == 'r' || line_[at_ - 1] == 'R') && (at_ < 3 || !is_name(line_[at_ - 3]));
  }

  // 'a without a closing quote behind the next character.
  bool lifetime() {
    if (at_ + 2 >= line_.size() || !is_name_start(line_[at_ + 1])) return false;
    std::size_t end = at_ + 1;
    while (end < line_.size() && is_name(line_[end])) ++end;
    if (end < line_.size() && line_[end] == '\'') return false;
    add(tokens_, at_, end, Role::kType);
    at_ = end;
    return true;
  }

  void string() {
    const Quote& quote = language_.quotes.first[std::min<std::size_t>(state_.index, language_.quotes.count - 1)];
    const bool escapes = quote.escapes && state_.depth == 0;
    while (at_ < line_.size()) {
      if (escapes && line_[at_] == '\\') {
        at_ = std::min(at_ + 2, line_.size());
      } else if (rest().starts_with(quote.close)) {
        at_ += quote.close.size();
        finish(is_key() ? Role::kType : Role::kString);
        return;
      } else {
        ++at_;
      }
    }
    add(tokens_, begin_, line_.size(), Role::kString);
  }

  bool raw_string_begins() {
    if (language_.has(kRustRaw) && counted_open('r', '#', '"', kRustString)) return true;
    if (language_.has(kBracketStrings) && counted_open('[', '=', '[', kBracket)) return true;
    if (!language_.has(kCppRaw) || !rest().starts_with("R\"")) return false;
    const std::size_t open = line_.find('(', at_ + 2);
    if (open == std::string_view::npos || open - at_ - 2 > 16) return false;
    state_ = {kCppString, 0, 0, {}};
    std::copy(line_.begin() + static_cast<std::ptrdiff_t>(at_) + 2, line_.begin() + static_cast<std::ptrdiff_t>(open),
              state_.tag.begin());
    begin_ = at_;
    at_ = open + 1;
    if (at_ >= line_.size()) add(tokens_, begin_, line_.size(), Role::kString);
    return true;
  }

  // first, some fills, last: r##"
  bool counted_open(char first, char fill, char last, Mode mode) {
    if (line_[at_] != first || (at_ > 0 && first == 'r' && is_name(line_[at_ - 1]))) return false;
    std::size_t end = at_ + 1;
    while (end < line_.size() && line_[end] == fill && end - at_ < 256) ++end;
    if (end >= line_.size() || line_[end] != last) return false;
    state_ = {static_cast<std::uint8_t>(mode), 0, static_cast<std::uint16_t>(end - at_ - 1), {}};
    begin_ = at_;
    at_ = end + 1;
    if (at_ >= line_.size()) add(tokens_, begin_, line_.size(), Role::kString);
    return true;
  }

  // last, as many fills as opened it; for brackets a further one.
  void until_closing(char last, char fill) {
    for (; at_ < line_.size(); ++at_) {
      if (line_[at_] != last) continue;
      std::size_t end = at_ + 1;
      while (end < line_.size() && line_[end] == fill && end - at_ <= state_.depth) ++end;
      if (end - at_ - 1 != state_.depth) continue;
      if (last == ']') {
        if (end >= line_.size() || line_[end] != ']') continue;
        ++end;
      }
      at_ = end;
      finish(Role::kString);
      return;
    }
    add(tokens_, begin_, line_.size(), Role::kString);
  }

  void cpp_string() {
    const std::string_view tag(state_.tag.data());
    for (; at_ < line_.size(); ++at_) {
      if (line_[at_] != ')' || !line_.substr(at_ + 1).starts_with(tag)) continue;
      const std::size_t quote = at_ + 1 + tag.size();
      if (quote >= line_.size() || line_[quote] != '"') continue;
      at_ = quote + 1;
      finish(Role::kString);
      return;
    }
    add(tokens_, begin_, line_.size(), Role::kString);
  }

  void here_line() {
    const std::string_view tag(state_.tag.data());
    std::string_view line = line_;
    while (state_.index != 0 && line.starts_with('\t')) line.remove_prefix(1);
    if (line == tag) {
      add(tokens_, 0, line_.size(), Role::kKeyword);
      state_ = {};
      return;
    }
    add(tokens_, 0, line_.size(), Role::kString);
  }

  void here_document() {
    std::size_t at = at_ + 2;
    const bool dash = at < line_.size() && line_[at] == '-';
    at = skip_blanks(line_, at + (dash ? 1 : 0));
    const char quote = at < line_.size() && (line_[at] == '\'' || line_[at] == '"') ? line_[at] : '\0';
    if (quote) ++at;
    const std::size_t begin = at;
    while (at < line_.size() && is_name(line_[at])) ++at;
    if (at == begin || at - begin >= state_.tag.size()) {
      at_ += 2;
      return;
    }
    here_ = line_.substr(begin, at - begin);
    here_dash_ = dash;
    if (quote && at < line_.size()) ++at;
    add(tokens_, at_, at, Role::kKeyword);
    at_ = at;
  }

  // --- The rest ---
  bool special() {
    const char c = line_[at_];
    if (c == '#' && language_.has(kPreprocessor) && at_line_start()) return directive();
    if (c == '@' && (language_.has(kDecorators) || language_.has(kAtKeywords)) && at_ + 1 < line_.size() &&
        is_name_start(line_[at_ + 1]))
      return prefixed_name(language_.has(kAtKeywords) ? Role::kKeyword : Role::kFunction);
    if (c == '$' && language_.has(kDollarNames)) return dollar();
    if (c == '#' && language_.has(kHashColours) && at_ + 1 < line_.size() && is_name(line_[at_ + 1]))
      return prefixed_name(Role::kNumber);
    if (c == '<' && language_.has(kHereDocuments) && rest().starts_with("<<") && !rest().starts_with("<<<")) {
      here_document();
      return true;
    }
    if (language_.has(kHereDocuments) && rest().starts_with("<<<")) {
      at_ += 3;
      return true;
    }
    return false;
  }

  bool prefixed_name(Role role) {
    std::size_t end = at_ + 1;
    while (end < line_.size() && (is_name(line_[end]) || line_[end] == '-' || line_[end] == '.')) ++end;
    add(tokens_, at_, end, role);
    at_ = end;
    return true;
  }

  bool directive() {
    std::size_t end = skip_blanks(line_, at_ + 1);
    const std::size_t word = end;
    while (end < line_.size() && is_name(line_[end])) ++end;
    const bool include = line_.substr(word, end - word) == "include";
    add(tokens_, at_, end, Role::kKeyword);
    at_ = end;
    const std::size_t target = skip_blanks(line_, end);
    if (!include || target >= line_.size() || line_[target] != '<') return true;
    const std::size_t close = line_.find('>', target);
    at_ = close == std::string_view::npos ? line_.size() : close + 1;
    add(tokens_, target, at_, Role::kString);
    return true;
  }

  bool dollar() {
    std::size_t end = at_ + 1;
    if (end < line_.size() && line_[end] == '{') {
      const std::size_t close = line_.find('}', end);
      end = close == std::string_view::npos ? line_.size() : close + 1;
    } else {
      while (end < line_.size() && is_name(line_[end])) ++end;
      if (end == at_ + 1 && end < line_.size() &&
          std::string_view("@*#?!$-").find(line_[end]) != std::string_view::npos)
        ++end;
    }
    if (end == at_ + 1) return false;
    add(tokens_, at_, end, Role::kType);
    at_ = end;
    return true;
  }

  bool number() {
    const char c = line_[at_];
    const bool dotted = c == '.' && at_ + 1 < line_.size() && is_digit(line_[at_ + 1]);
    if (!is_digit(c) && !dotted) return false;
    std::size_t end = at_ + 1;
    for (; end < line_.size(); ++end) {
      const char d = line_[end];
      const char before = line_[end - 1];
      if (is_name(d) && static_cast<unsigned char>(d) < 0x80) continue;
      if (d == '.' && end + 1 < line_.size() && is_digit(line_[end + 1])) continue;
      if (d == '\'' && language_.has(kCppRaw) && end + 1 < line_.size() && is_name(line_[end + 1])) continue;
      if ((d == '+' || d == '-') && (before == 'e' || before == 'E') && !line_.substr(at_).starts_with("0x")) continue;
      break;
    }
    add(tokens_, at_, end, Role::kNumber);
    at_ = end;
    return true;
  }

  bool name() {
    if (!is_name_start(line_[at_]) && !(line_[at_] == '-' && language_.has(kDashNames))) return false;
    std::size_t end = at_ + 1;
    while (end < line_.size() && (is_name(line_[end]) || (line_[end] == '-' && language_.has(kDashNames)))) ++end;
    const std::size_t begin = std::exchange(at_, end);
    if (const Role role = role_of_name(line_.substr(begin, end - begin), begin); role != Role::kCode)
      add(tokens_, begin, end, role);
    return true;
  }

  Role role_of_name(std::string_view word, std::size_t begin) const {
    std::string lowered;
    if (language_.has(kIgnoresCase)) {
      lowered.assign(word);
      for (char& c : lowered)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
      word = lowered;
    }
    if (is_key()) return Role::kType;
    if (contains(language_.keywords, word)) return Role::kKeyword;
    if (contains(language_.types, word)) return Role::kType;
    if (language_.has(kCallsAreKeywords) && skip_blanks(line_, 0) == begin && next_is('(')) return Role::kFunction;
    if (language_.has(kTypesAreCapital) && word[0] >= 'A' && word[0] <= 'Z' &&
        std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
      return Role::kType;
    if (at_ < line_.size() && line_[at_] == '(' && !language_.has(kDollarNames)) return Role::kFunction;
    return Role::kCode;
  }

  bool next_is(char c) const {
    const std::size_t next = skip_blanks(line_, at_);
    return next < line_.size() && line_[next] == c;
  }
  bool is_key() const {
    return (language_.has(kKeyColon) && next_is(':')) || (language_.has(kKeyEquals) && next_is('='));
  }

  bool section() {
    const std::size_t begin = skip_blanks(line_, 0);
    if (begin >= line_.size() || line_[begin] != '[' || line_.find(']', begin) == std::string_view::npos) return false;
    const std::size_t end = line_.rfind(']') + 1;
    if (line_.substr(begin, end - begin).find_first_of("=,\"") != std::string_view::npos && line_[end - 1] == ']' &&
        line_.find('=') != std::string_view::npos)
      return false;
    add(tokens_, begin, end, Role::kHeading);
    at_ = end;
    while (at_ < line_.size()) step();
    end_of_line();
    return true;
  }

  void finish(Role role) {
    add(tokens_, begin_, at_, role);
    state_ = {};
  }

  void end_of_line() {
    if (state_.mode == kString) {
      const Quote& quote = language_.quotes.first[std::min<std::size_t>(state_.index, language_.quotes.count - 1)];
      const bool carried = !line_.empty() && line_.back() == '\\' && quote.escapes;
      if (!quote.multiline && !carried) state_ = {};
    }
    if (here_.empty() || state_.mode != kPlain) return;
    state_ = {kHere, static_cast<std::uint8_t>(here_dash_), 0, {}};
    std::copy(here_.begin(), here_.end(), state_.tag.begin());
  }

  const Language& language_;
  State& state_;
  std::string_view line_;
  std::vector<Token>& tokens_;
  std::size_t at_ = 0, begin_ = 0;  // begin_: of the string or comment that is open, in this line
  std::string_view here_;
  bool here_dash_ = false;
};

}  // namespace

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name(char c) { return is_name_start(c) || is_digit(c); }

std::size_t skip_blanks(std::string_view line, std::size_t at) {
  while (at < line.size() && is_blank(line[at])) ++at;
  return at;
}

void add(std::vector<Token>& tokens, std::size_t begin, std::size_t end, Role role) {
  if (begin >= end) return;
  tokens.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), role});
}

void lex_with_tables(const Language& language, State& state, std::string_view line, std::vector<Token>& tokens) {
  Scan(language, state, line, tokens).run();
}

void lex_line(const Language& language, State& state, std::string_view line, std::vector<Token>& tokens) {
  if (language.own)
    language.own(state, line, tokens);
  else
    lex_with_tables(language, state, line, tokens);
}

}  // namespace magi::code::tui::syntax
