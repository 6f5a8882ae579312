#include "tools/magi-code/permit/rule.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tools/magi-code/permit/programs.h"

namespace magi::code::permit {
namespace {

template <class... Parts>
Error refuse(std::string_view text, const Parts&... parts) {
  return make_error(ErrorCode::kUsage, "rule ", quoted(text), ": ", parts...);
}

bool is_tool_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '*' || c == '.';
  });
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// Without "." and "..", which stand for nothing in a real path.
Result<std::string> absolute_pattern(std::string_view rule, std::string_view path, std::string_view root) {
  std::string whole = path.starts_with('/') ? std::string(path) : std::string(root) + '/' + std::string(path);
  std::string out;
  std::string_view rest = whole;
  while (!rest.empty()) {
    rest.remove_prefix(rest.find_first_not_of('/') == std::string_view::npos ? rest.size()
                                                                             : rest.find_first_not_of('/'));
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(segment.size());
    if (segment.empty() || segment == ".") continue;
    if (segment == "..") return refuse(rule, "a path in a rule has no '..'");
    (out += '/') += segment;
  }
  return out.empty() ? std::string("/") : out;
}

// '*' at the places that `globs` holds, in order.
bool word_matches(std::string_view pattern, const std::vector<std::size_t>& globs, std::string_view text) {
  std::size_t at = 0, text_at = 0;
  for (std::size_t i = 0; i < globs.size(); ++i) {
    const std::string_view piece = pattern.substr(at, globs[i] - at);
    if (i == 0) {
      if (!text.starts_with(piece)) return false;
      text_at = piece.size();
    } else {
      const std::size_t found = text.find(piece, text_at);
      if (found == std::string_view::npos) return false;
      text_at = found + piece.size();
    }
    at = globs[i] + 1;
  }
  const std::string_view last = pattern.substr(at);
  if (globs.empty()) return text == last;
  return text.size() >= text_at + last.size() && text.ends_with(last);
}

bool segment_matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    for (std::size_t skip = 0; skip <= text.size(); ++skip)
      if (segment_matches(pattern.substr(1), text.substr(skip))) return true;
    return false;
  }
  return !text.empty() && (pattern.front() == '?' || pattern.front() == text.front()) &&
         segment_matches(pattern.substr(1), text.substr(1));
}

std::pair<std::string_view, std::string_view> split_segment(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  return {path.substr(0, end), path.substr(end)};
}

constexpr std::size_t kMostStars = 8;  // in one path, so that matching stays quick

}  // namespace

bool path_matches(std::string_view pattern, std::string_view path) {
  if (pattern.empty() || pattern == "/") return path.empty() || path == "/";
  const auto [wanted, rest_of_pattern] = split_segment(pattern);
  if (wanted == "**") {
    if (rest_of_pattern.empty()) return true;
    for (std::string_view rest = path;;) {
      if (path_matches(rest_of_pattern, rest)) return true;
      if (rest.empty() || rest == "/") return false;
      rest = split_segment(rest).second;
    }
  }
  if (path.empty() || path == "/") return false;
  const auto [segment, rest_of_path] = split_segment(path);
  return segment_matches(wanted, segment) && path_matches(rest_of_pattern, rest_of_path);
}

bool text_matches(std::string_view pattern, std::string_view text) {
  std::vector<std::size_t> stars;
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == '*') stars.push_back(i);
  return word_matches(pattern, stars, text);
}

Result<Rule> Rule::parse(std::string_view text, std::string_view root) {
  constexpr std::array<std::pair<std::string_view, Head>, 6> kHeads{{{"bash", Head::kBash},
                                                                     {"unconfined", Head::kUnconfined},
                                                                     {"edit", Head::kEdit},
                                                                     {"write", Head::kEdit},
                                                                     {"read", Head::kRead},
                                                                     {"web", Head::kWeb}}};
  Rule rule;
  rule.text_ = text;
  if (has_control(text)) return refuse(text, "has control characters");
  const std::size_t open = text.find('(');
  const std::string_view name = text.substr(0, open);
  if (!is_tool_name(name)) return refuse(text, "is no TOOL or TOOL(WHAT)");
  rule.everything_ = open == std::string_view::npos;
  if (!rule.everything_ && !text.ends_with(')')) return refuse(text, "has no closing parenthesis");
  const std::string_view inside = rule.everything_ ? "" : text.substr(open + 1, text.size() - open - 2);
  const auto head = std::find_if(kHeads.begin(), kHeads.end(), [&](const auto& one) { return one.first == name; });
  if (head == kHeads.end()) {
    if (!rule.everything_)
      return refuse(text, "only bash, unconfined, edit, read and web take something in parentheses");
    if (name.find_first_not_of('*') == std::string_view::npos) return refuse(text, "names no tool");
    rule.pattern_ = name;
    return rule;
  }
  rule.head_ = head->second;
  if (rule.everything_) return rule;
  if (inside.empty()) return refuse(text, "names nothing");
  if (rule.head_ == Head::kBash || rule.head_ == Head::kUnconfined) {
    auto words = rule_words(inside);
    if (!words) return refuse(text, "is not one simple command: words, quoted where need be, and '*'");
    if (words->front().has_glob()) return refuse(text, "must name its program without '*'");
    rule.words_ = *std::move(words);
  } else if (rule.head_ == Head::kWeb) {
    rule.pattern_ = lower(inside);
    if (rule.pattern_.find('*', 1) != std::string::npos ||
        (rule.pattern_[0] == '*' && !rule.pattern_.starts_with("*.")))
      return refuse(text, "a host is written out, with nothing but '*.' before it");
  } else {
    MAGI_TRY(rule.pattern_, absolute_pattern(text, inside, root));
    if (static_cast<std::size_t>(std::count(inside.begin(), inside.end(), '*')) > kMostStars)
      return refuse(text, "has more than 8 '*'");
  }
  return rule;
}

bool Rule::covers_command(std::string_view command) const {
  if (everything_) return true;
  const auto words = simple_command(command);
  if (!words) return false;
  const bool open_end = words_.back().text == "*" && words_.back().has_glob();
  const std::size_t fixed = words_.size() - (open_end ? 1 : 0);
  if (words->size() < fixed || (!open_end && words->size() != fixed)) return false;
  std::vector<std::string> texts;
  std::vector<bool> is_literal;
  for (std::size_t i = 0; i < words->size(); ++i) {
    const ShellWord& word = (*words)[i];
    const bool literal = i < fixed && !words_[i].has_glob();
    // What the shell expands is not what stands there.
    if (literal && (word.has_glob() || word.text != words_[i].text)) return false;
    if (!literal && i < fixed && !word_matches(words_[i].text, words_[i].globs, word.text)) return false;
    texts.push_back(word.text);
    is_literal.push_back(literal);
  }
  for (std::size_t i = 1; i < texts.size(); ++i)
    if (!is_literal[i] && !wildcard_may_cover(texts, is_literal, i)) return false;
  return true;
}

bool Rule::covers(const Subject& subject) const {
  using Kind = Subject::Kind;
  switch (head_) {
    case Head::kBash: return subject.kind == Kind::kCommand && covers_command(subject.what);
    case Head::kUnconfined: return subject.kind == Kind::kUnconfined && covers_command(subject.what);
    case Head::kEdit: return subject.kind == Kind::kWrite && (everything_ || path_matches(pattern_, subject.what));
    case Head::kRead: return subject.kind == Kind::kRead && (everything_ || path_matches(pattern_, subject.what));
    case Head::kWeb: {
      if (subject.kind != Kind::kWeb) return false;
      const std::string host = lower(subject.what);
      if (everything_ || host == pattern_) return true;
      const std::string_view parent = std::string_view(pattern_).substr(1);  // ".example.org"
      return pattern_.starts_with('*') && host.size() > parent.size() && host.ends_with(parent);
    }
    case Head::kTool: return subject.kind == Kind::kTool && text_matches(pattern_, subject.tool);
  }
  return false;
}

std::string suggested_rule(const Subject& subject, std::string_view root) {
  using Kind = Subject::Kind;
  switch (subject.kind) {
    case Kind::kTool: return is_tool_name(subject.tool) ? subject.tool : std::string();
    case Kind::kWeb: return "web(" + subject.what + ")";
    case Kind::kWrite:
    case Kind::kRead: {
      if (subject.what.find_first_of("*?") != std::string::npos || has_control(subject.what)) return {};
      std::string_view path = subject.what;
      if (path.starts_with(std::string(root) + '/')) path.remove_prefix(root.size() + 1);
      return std::string(subject.kind == Kind::kWrite ? "edit(" : "read(") + std::string(path) + ")";
    }
    case Kind::kCommand:
    case Kind::kUnconfined: break;
  }
  const auto words = simple_command(subject.what);
  if (!words) return {};
  std::vector<std::string> texts;
  for (const ShellWord& word : *words) texts.push_back(word.text);
  const std::string name = subject.kind == Kind::kCommand ? "bash(" : "unconfined(";
  std::string wide = name, exact = name;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string word = (i == 0 ? "" : " ") + shell_quoted(texts[i]);
    if (i < leading_words(texts)) wide += word;
    exact += word;
  }
  wide += " *)";
  exact += ")";
  for (const std::string& text : {wide, exact})
    if (const auto rule = Rule::parse(text, root); rule && rule->covers(subject)) return text;
  return {};
}

}  // namespace magi::code::permit
