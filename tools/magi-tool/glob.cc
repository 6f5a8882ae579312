#include "tools/magi-tool/glob.h"

#include <array>
#include <cctype>
#include <cstddef>
#include <utility>

namespace magi::toolbox {
namespace {

constexpr std::size_t kMostExpansions = 1'000;

using Test = int (*)(int);
constexpr std::array<std::pair<std::string_view, Test>, 12> kClasses{{{"alnum", std::isalnum},
                                                                      {"alpha", std::isalpha},
                                                                      {"blank", std::isblank},
                                                                      {"cntrl", std::iscntrl},
                                                                      {"digit", std::isdigit},
                                                                      {"graph", std::isgraph},
                                                                      {"lower", std::islower},
                                                                      {"print", std::isprint},
                                                                      {"punct", std::ispunct},
                                                                      {"space", std::isspace},
                                                                      {"upper", std::isupper},
                                                                      {"xdigit", std::isxdigit}}};

bool in_named_class(std::string_view name, unsigned char c) {
  for (const auto& [known, test] : kClasses)
    if (known == name) return test(c) != 0;
  return false;
}

// One "[...]": whether `c` is in it; `at` moves from '[' behind ']'.  Not closed: matches nothing.
bool match_class(std::string_view pattern, std::size_t& at, unsigned char c) {
  std::size_t p = at + 1;
  const bool negated = p < pattern.size() && (pattern[p] == '!' || pattern[p] == '^');
  if (negated) ++p;
  bool found = false;
  for (bool first = true;; first = false) {
    if (p >= pattern.size()) {
      at = pattern.size();
      return false;
    }
    if (pattern[p] == ']' && !first) break;
    if (pattern.substr(p).starts_with("[:")) {
      const std::size_t end = pattern.find(":]", p + 2);
      if (end != std::string_view::npos) {
        found |= in_named_class(pattern.substr(p + 2, end - p - 2), c);
        p = end + 2;
        continue;
      }
    }
    if (pattern[p] == '\\' && p + 1 < pattern.size()) ++p;
    const auto low = static_cast<unsigned char>(pattern[p++]);
    auto high = low;
    if (p + 1 < pattern.size() && pattern[p] == '-' && pattern[p + 1] != ']') {
      ++p;
      if (pattern[p] == '\\' && p + 1 < pattern.size()) ++p;
      high = static_cast<unsigned char>(pattern[p++]);
    }
    found |= low <= c && c <= high;
  }
  at = p + 1;
  return found != negated && c != '/';
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view path) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t p = 0, t = 0;
  // Where to go on when what follows a star does not fit: one character more for the star.  A single star ends at '/',
  // so a double one further left may have to take over.
  std::size_t star_p = kNone, star_t = 0, stars_p = kNone, stars_t = 0;
  const auto retry = [&] {
    if (star_p != kNone && star_t < path.size() && path[star_t] != '/') {
      p = star_p;
      t = ++star_t;
      return true;
    }
    star_p = kNone;
    if (stars_p == kNone) return false;
    // It stands for whole components.
    const std::size_t slash = path.find('/', stars_t);
    if (slash == std::string_view::npos) return false;
    stars_t = slash + 1;
    p = stars_p;
    t = stars_t;
    return true;
  };
  for (;;) {
    if (p == pattern.size()) {
      if (t == path.size()) return true;
    } else if (pattern[p] == '*') {
      std::size_t end = p;
      while (end < pattern.size() && pattern[end] == '*') ++end;
      const bool at_start = p == 0 || pattern[p - 1] == '/';
      if (end - p == 2 && at_start && end < pattern.size() && pattern[end] == '/') {
        star_p = kNone;
        stars_p = p = end + 1;
        stars_t = t;
        continue;
      }
      if (end - p == 2 && at_start && end == pattern.size()) return p == 0 || t < path.size();
      star_p = p = end;
      star_t = t;
      continue;
    } else if (t < path.size()) {
      const auto c = static_cast<unsigned char>(path[t]);
      if (pattern[p] == '?' && c != '/') {
        ++p, ++t;
        continue;
      }
      if (pattern[p] == '[') {
        if (match_class(pattern, p, c)) {
          ++t;
          continue;
        }
      } else if (pattern[p] != '?') {
        const std::size_t literal = pattern[p] == '\\' && p + 1 < pattern.size() ? p + 1 : p;
        if (static_cast<unsigned char>(pattern[literal]) == c) {
          p = literal + 1;
          ++t;
          continue;
        }
      }
    }
    if (!retry()) return false;
  }
}

namespace {

// The '}' that closes the '{' at `open`, and the commas between them at its own depth.
std::vector<std::size_t> brace_marks(std::string_view pattern, std::size_t open) {
  std::vector<std::size_t> marks{open};
  int depth = 0;
  for (std::size_t at = open; at < pattern.size(); ++at) {
    if (pattern[at] == '\\')
      ++at;
    else if (pattern[at] == '{')
      ++depth;
    else if (pattern[at] == ',' && depth == 1)
      marks.push_back(at);
    else if (pattern[at] == '}' && --depth == 0) {
      marks.push_back(at);
      return marks;
    }
  }
  return {};
}

void expand(std::string_view pattern, std::vector<std::string>& out) {
  if (out.size() >= kMostExpansions) return;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\') {
      ++at;
    } else if (pattern[at] == '{') {
      const std::vector<std::size_t> marks = brace_marks(pattern, at);
      if (marks.size() < 3) continue;  // "{}" and "{a}" stand for themselves
      for (std::size_t one = 0; one + 1 < marks.size(); ++one)
        expand(std::string(pattern.substr(0, at))
                   .append(pattern.substr(marks[one] + 1, marks[one + 1] - marks[one] - 1))
                   .append(pattern.substr(marks.back() + 1)),
               out);
      return;
    }
  }
  out.emplace_back(pattern);
}

}  // namespace

Glob::Glob(std::string_view pattern) {
  while (pattern.starts_with("./")) pattern.remove_prefix(2);
  std::vector<std::string> expanded;
  expand(pattern, expanded);
  for (std::string& one : expanded) {
    const bool name_only = one.find('/') == std::string::npos;
    if (one.starts_with('/')) one.erase(0, 1);
    patterns_.push_back({std::move(one), name_only});
  }
}

bool Glob::matches(std::string_view path) const {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  for (const Pattern& pattern : patterns_)
    if (glob_match(pattern.text, pattern.name_only ? name : path)) return true;
  return false;
}

}  // namespace magi::toolbox
