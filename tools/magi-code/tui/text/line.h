// What is drawn, before it knows of a screen: lines of spans that say what they mean (a role), never which colour.
// Texts are UTF-8 that text/visible.h has made safe for a terminal: no control characters, no escapes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace magi::code::tui {

// What a piece of text is; theme/ alone turns a role into colours.
enum class Role : std::uint8_t {
  kText,
  kMuted,
  kAccent,
  kUser,
  kAssistant,
  kHeading,
  kCode,
  kLink,
  kQuote,
  kSuccess,
  kWarning,
  kError,
  kAdded,
  kRemoved,
  kBorder,
  kTitle,
  kSelection,
  kMatch,
  kKeyword,
  kString,
  kNumber,
  kComment,
  kType,
  kFunction,
};

struct Style {
  Role role = Role::kText;
  bool bold = false, italic = false, underline = false, strike = false, reverse = false;

  bool operator==(const Style&) const = default;
};

struct Span {
  std::string text;
  Style style;
};

struct Line {
  std::vector<Span> spans;

  Line() = default;
  explicit Line(std::string text, Style style = {}) { add(std::move(text), style); }
  Line& add(std::string text, Style style = {}) {
    if (!text.empty()) spans.push_back({std::move(text), style});
    return *this;
  }
};

}  // namespace magi::code::tui
