#include "tools/magi-code/permit/shell_words.h"

#include <algorithm>
#include <array>

namespace magi::code::permit {
namespace {

constexpr std::string_view kNeverUnquoted = ";&|<>(){}$`";
constexpr std::array<std::string_view, 22> kReserved{
    "if",    "then", "else",   "elif", "fi",     "do", "done", "case", "esac",     "for", "while",
    "until", "in",   "select", "time", "coproc", "!",  "{",    "}",    "function", "[[",  "]]"};

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool is_name_character(char c, bool first) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (!first && c >= '0' && c <= '9');
}

// NAME=..., NAME+=... and NAME[...]=...
bool is_assignment(std::string_view word) {
  std::size_t at = 0;
  while (at < word.size() && is_name_character(word[at], at == 0)) ++at;
  if (at == 0 || at == word.size()) return false;
  return word[at] == '=' || word[at] == '[' || word.substr(at).starts_with("+=");
}

class Reader {
 public:
  explicit Reader(std::string_view line) : rest_(line) {}

  // Nothing where the line is not to be read; an empty list where it is blank.
  std::optional<std::vector<ShellWord>> words() {
    std::vector<ShellWord> words;
    for (;;) {
      while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
      if (rest_.empty()) return words;
      ShellWord word;
      if (!read_word(word)) return std::nullopt;
      words.push_back(std::move(word));
    }
  }

 private:
  bool read_word(ShellWord& word) {
    if (rest_.front() == '#' || rest_.front() == '~') return false;
    while (!rest_.empty() && !is_blank(rest_.front())) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (is_control(c) || kNeverUnquoted.find(c) != std::string_view::npos) return false;
      if (c == '\'' || c == '"') {
        if (!read_quoted(c, word)) return false;
      } else if (c == '\\') {
        if (rest_.empty() || is_control(rest_.front())) return false;
        word.text += rest_.front();
        rest_.remove_prefix(1);
      } else {
        // In what looks like an assignment a tilde is a home directory there too.
        if ((c == '=' || c == ':') && rest_.starts_with('~')) return false;
        if (c == '*' || c == '?' || c == '[') word.globs.push_back(word.text.size());
        word.text += c;
      }
    }
    return true;
  }

  bool read_quoted(char quote, ShellWord& word) {
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == quote) return true;
      if (is_control(c) && c != '\t') return false;
      if (quote == '"') {
        if (c == '$' || c == '`') return false;
        if (c == '\\' && !rest_.empty() && std::string_view("\"\\$`").find(rest_.front()) != std::string_view::npos) {
          word.text += rest_.front();
          rest_.remove_prefix(1);
          continue;
        }
      }
      word.text += c;
    }
    return false;
  }

  std::string_view rest_;
};

bool globs_are_harmless(const std::vector<ShellWord>& words) {
  bool only_operands = false;
  for (const ShellWord& word : words) {
    if (word.text == "--") only_operands = true;
    if (word.has_glob() && !only_operands && (word.globs.front() == 0 || word.text.front() == '-')) return false;
  }
  return !words.front().has_glob();
}

std::optional<std::vector<ShellWord>> command_words(std::string_view text) {
  auto words = Reader(text).words();
  if (!words || words->empty()) return std::nullopt;
  const std::string& first = words->front().text;
  if (first.empty() || is_assignment(first) || std::find(kReserved.begin(), kReserved.end(), first) != kReserved.end())
    return std::nullopt;
  return words;
}

}  // namespace

std::optional<std::vector<ShellWord>> simple_command(std::string_view line) {
  auto words = command_words(line);
  if (!words || !globs_are_harmless(*words)) return std::nullopt;
  return words;
}

std::optional<std::vector<ShellWord>> rule_words(std::string_view text) {
  auto words = command_words(text);
  if (!words) return std::nullopt;
  for (ShellWord& word : *words) std::erase_if(word.globs, [&](std::size_t at) { return word.text[at] != '*'; });
  return words;
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

}  // namespace magi::code::permit
