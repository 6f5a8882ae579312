// What a role looks like: the only place where colours are chosen.  A theme is a table; for terminals of fewer colours
// each theme has its own choice of the sixteen, and without colours attributes alone tell roles apart.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/text/line.h"

namespace magi::code::tui {

enum class ColourDepth : std::uint8_t { kNone, k16, k256, kTrue };

struct Colour {
  enum class Kind : std::uint8_t { kDefault, kIndex, kRgb } kind = Kind::kDefault;
  std::uint8_t index = 0;  // of kIndex: 0-15 as the terminal's palette has them, 16-255 the fixed cube
  std::uint8_t red = 0, green = 0, blue = 0;

  bool operator==(const Colour&) const = default;
};

// What SGR can say of a cell.
struct Look {
  Colour foreground, background;
  bool bold = false, dim = false, italic = false, underline = false, strike = false, reverse = false;

  bool operator==(const Look&) const = default;
};

class Theme {
 public:
  // The default theme at full depth.
  Theme();
  // An unknown name gives the default theme.
  Theme(std::string_view name, ColourDepth depth);

  std::string_view name() const { return name_; }
  ColourDepth depth() const { return depth_; }
  Look look(Style style) const;

 private:
  static constexpr std::size_t kRoles = 64;
  std::string_view name_;
  ColourDepth depth_;
  std::array<Look, kRoles> looks_;  // by role
};

// "dark", "light", "high-contrast", "16-colour", "no-colour": as settings and /theme name them.
const std::vector<std::string_view>& theme_names();
bool is_theme(std::string_view name);
// What suits a terminal whose background is known or not.
std::string_view standard_theme(bool light_background);

// SGR sequence from one look to another: empty where they are the same.  Appends.
void append_sgr(std::string& out, const Look& from, const Look& to);

}  // namespace magi::code::tui
