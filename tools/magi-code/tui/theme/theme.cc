#include "tools/magi-code/tui/theme/theme.h"

#include <algorithm>

namespace magi::code::tui {
namespace {

// Attributes as bits of a table's entry.
constexpr unsigned kBold = 1, kDim = 2, kItalic = 4, kUnderline = 8, kStrike = 16, kReverse = 32;
constexpr int kNoColour = -1;

// How one role looks.  `rgb` and `back` as 0xRRGGBB, `index` and `back_index` among the sixteen; -1: the terminal's
// own.
struct Entry {
  Role role;
  int rgb, index;
  unsigned attributes = 0;
  int back = kNoColour, back_index = kNoColour;
};

// Readable on black to dark grey: each colour has a contrast of at least 4.5 with #1e1e1e.
constexpr Entry kDark[] = {
    {Role::kMuted, 0x8f959e, 8},
    {Role::kAccent, 0x6cb6ff, 12},
    {Role::kUser, 0xe5c07b, 11},
    {Role::kHeading, 0x6cb6ff, 14, kBold},
    {Role::kCode, 0xe0af8a, 11},
    {Role::kLink, 0x58c4dd, 14, kUnderline},
    {Role::kQuote, 0xa3abb8, 7, kItalic},
    {Role::kSuccess, 0x7ec97a, 10},
    {Role::kWarning, 0xe8b454, 11},
    {Role::kError, 0xff7b78, 9},
    {Role::kAdded, 0x7ec97a, 10},
    {Role::kRemoved, 0xff7b78, 9},
    {Role::kBorder, 0x80888f, 8},
    {Role::kTitle, kNoColour, 15, kBold},
    {Role::kSelection, 0xffffff, 15, 0, 0x264f78, 4},
    {Role::kMatch, 0x1e1e1e, 0, 0, 0xe8b454, 11},
    {Role::kKeyword, 0xd19ae6, 13},
    {Role::kString, 0x9ccc7a, 10},
    {Role::kNumber, 0xe0a370, 11},
    {Role::kComment, 0x8f959e, 8, kItalic},
    {Role::kType, 0x5ec8c0, 14},
    {Role::kFunction, 0x82aaff, 12},
};

// The same for white to light grey: a contrast of at least 4.5 with #ffffff.
constexpr Entry kLight[] = {
    {Role::kMuted, 0x646a73, 8},
    {Role::kAccent, 0x0a5fb4, 4},
    {Role::kUser, 0x875a00, 3},
    {Role::kHeading, 0x0a5fb4, 4, kBold},
    {Role::kCode, 0x9a4a16, 5},
    {Role::kLink, 0x00697f, 6, kUnderline},
    {Role::kQuote, 0x555b66, 8, kItalic},
    {Role::kSuccess, 0x1d7325, 2},
    {Role::kWarning, 0x8f5b00, 3},
    {Role::kError, 0xbb2020, 1},
    {Role::kAdded, 0x1d7325, 2},
    {Role::kRemoved, 0xbb2020, 1},
    {Role::kBorder, 0x70767f, 8},
    {Role::kTitle, kNoColour, 0, kBold},
    {Role::kSelection, 0x000000, 0, 0, 0xb9d7fb, 14},
    {Role::kMatch, 0x000000, 0, 0, 0xffd866, 11},
    {Role::kKeyword, 0x8a2fa8, 5},
    {Role::kString, 0x3f6f14, 2},
    {Role::kNumber, 0x9a4a16, 3},
    {Role::kComment, 0x646a73, 8, kItalic},
    {Role::kType, 0x00697f, 6},
    {Role::kFunction, 0x2452c4, 4},
};

// Nothing dim, nothing that colour alone tells; full colours on black, marks as inverted blocks.
constexpr Entry kHighContrast[] = {
    {Role::kText, 0xffffff, 15, 0, 0x000000, 0},
    {Role::kMuted, 0xe0e0e0, 7, 0, 0x000000, 0},
    {Role::kAccent, 0x66ffff, 14, kBold, 0x000000, 0},
    {Role::kUser, 0xffff66, 11, kBold, 0x000000, 0},
    {Role::kAssistant, 0xffffff, 15, 0, 0x000000, 0},
    {Role::kHeading, 0x66ffff, 14, kBold | kUnderline, 0x000000, 0},
    {Role::kCode, 0xffff66, 11, 0, 0x000000, 0},
    {Role::kLink, 0x66ffff, 14, kUnderline, 0x000000, 0},
    {Role::kQuote, 0xffffff, 15, kItalic, 0x000000, 0},
    {Role::kSuccess, 0x66ff66, 10, kBold, 0x000000, 0},
    {Role::kWarning, 0xffff66, 11, kBold, 0x000000, 0},
    {Role::kError, 0xff8080, 9, kBold, 0x000000, 0},
    {Role::kAdded, 0x66ff66, 10, 0, 0x000000, 0},
    {Role::kRemoved, 0xff8080, 9, kUnderline, 0x000000, 0},
    {Role::kBorder, 0xffffff, 15, 0, 0x000000, 0},
    {Role::kTitle, 0xffffff, 15, kBold, 0x000000, 0},
    {Role::kSelection, 0x000000, 0, kBold, 0xffffff, 15},
    {Role::kMatch, 0x000000, 0, kBold, 0xffff66, 11},
    {Role::kKeyword, 0xff99ff, 13, kBold, 0x000000, 0},
    {Role::kString, 0x66ff66, 10, 0, 0x000000, 0},
    {Role::kNumber, 0xffff66, 11, 0, 0x000000, 0},
    {Role::kComment, 0xe0e0e0, 7, kItalic, 0x000000, 0},
    {Role::kType, 0x66ffff, 14, 0, 0x000000, 0},
    {Role::kFunction, 0xffffff, 15, kBold, 0x000000, 0},
};

// The terminal's own palette, which its owner has chosen for either background: no black, no white.
constexpr Entry kSixteen[] = {
    {Role::kMuted, 0, 8},
    {Role::kAccent, 0, 4},
    {Role::kUser, 0, 3},
    {Role::kHeading, 0, 6, kBold},
    {Role::kCode, 0, 3},
    {Role::kLink, 0, 6, kUnderline},
    {Role::kQuote, 0, kNoColour, kItalic},
    {Role::kSuccess, 0, 2},
    {Role::kWarning, 0, 3},
    {Role::kError, 0, 1},
    {Role::kAdded, 0, 2},
    {Role::kRemoved, 0, 1},
    {Role::kBorder, 0, 8},
    {Role::kTitle, 0, kNoColour, kBold},
    {Role::kSelection, 0, kNoColour, kReverse},
    {Role::kMatch, 0, 3, kReverse},
    {Role::kKeyword, 0, 5},
    {Role::kString, 0, 2},
    {Role::kNumber, 0, 3},
    {Role::kComment, 0, 8, kItalic},
    {Role::kType, 0, 6},
    {Role::kFunction, 0, 4},
};

constexpr Entry kPlain[] = {
    {Role::kMuted, kNoColour, kNoColour, kDim},
    {Role::kAccent, kNoColour, kNoColour, kBold},
    {Role::kUser, kNoColour, kNoColour, kBold},
    {Role::kHeading, kNoColour, kNoColour, kBold | kUnderline},
    {Role::kLink, kNoColour, kNoColour, kUnderline},
    {Role::kQuote, kNoColour, kNoColour, kItalic},
    {Role::kSuccess, kNoColour, kNoColour, kBold},
    {Role::kWarning, kNoColour, kNoColour, kBold},
    {Role::kError, kNoColour, kNoColour, kBold | kReverse},
    {Role::kAdded, kNoColour, kNoColour, kBold},
    {Role::kRemoved, kNoColour, kNoColour, kDim},
    {Role::kBorder, kNoColour, kNoColour, kDim},
    {Role::kTitle, kNoColour, kNoColour, kBold},
    {Role::kSelection, kNoColour, kNoColour, kReverse},
    {Role::kMatch, kNoColour, kNoColour, kReverse | kUnderline},
    {Role::kKeyword, kNoColour, kNoColour, kBold},
    {Role::kComment, kNoColour, kNoColour, kDim},
};

struct Table {
  std::string_view name;
  const Entry* first;
  const Entry* last;
  ColourDepth most;  // deeper terminals use no more than this
};

template <std::size_t N>
constexpr Table table(std::string_view name, const Entry (&entries)[N], ColourDepth most) {
  return {name, entries, entries + N, most};
}

constexpr Table kThemes[] = {
    table("dark", kDark, ColourDepth::kTrue),
    table("light", kLight, ColourDepth::kTrue),
    table("high-contrast", kHighContrast, ColourDepth::kTrue),
    table("16-colour", kSixteen, ColourDepth::k16),
    table("no-colour", kPlain, ColourDepth::kNone),
};

// The nearest of the fixed colours 16-255: a cube of 6 levels each (0, 95, 135 .. 255) and 24 greys (8, 18 .. 238).
std::uint8_t nearest_index(int red, int green, int blue) {
  const auto level = [](int v) { return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40; };
  const auto value = [](int l) { return l == 0 ? 0 : 55 + 40 * l; };
  const auto distance = [&](int r, int g, int b) {
    return (r - red) * (r - red) + (g - green) * (g - green) + (b - blue) * (b - blue);
  };
  const int r = level(red), g = level(green), b = level(blue);
  const int grey = std::clamp(((red + green + blue) / 3 - 3) / 10, 0, 23);
  const int grey_value = 8 + 10 * grey;
  const bool is_grey = distance(grey_value, grey_value, grey_value) < distance(value(r), value(g), value(b));
  return static_cast<std::uint8_t>(is_grey ? 232 + grey : 16 + 36 * r + 6 * g + b);
}

Colour colour_of(int rgb, int index, ColourDepth depth) {
  Colour colour;
  if (depth == ColourDepth::kNone || (depth == ColourDepth::k16 ? index : rgb) == kNoColour) return colour;
  const int red = rgb >> 16 & 0xFF, green = rgb >> 8 & 0xFF, blue = rgb & 0xFF;
  if (depth == ColourDepth::kTrue) {
    colour.kind = Colour::Kind::kRgb;
    colour.red = static_cast<std::uint8_t>(red);
    colour.green = static_cast<std::uint8_t>(green);
    colour.blue = static_cast<std::uint8_t>(blue);
  } else {
    colour.kind = Colour::Kind::kIndex;
    colour.index = depth == ColourDepth::k16 ? static_cast<std::uint8_t>(index) : nearest_index(red, green, blue);
  }
  return colour;
}

const Table& table_of(std::string_view name, ColourDepth depth) {
  // Without colours all themes are the one that tells roles apart by attributes.
  if (depth == ColourDepth::kNone) return kThemes[std::size(kThemes) - 1];
  const auto* found =
      std::find_if(std::begin(kThemes), std::end(kThemes), [&](const Table& t) { return t.name == name; });
  return found == std::end(kThemes) ? kThemes[0] : *found;
}

}  // namespace

Theme::Theme() : Theme({}, ColourDepth::kTrue) {}

Theme::Theme(std::string_view name, ColourDepth depth) : depth_(depth), looks_{} {
  const Table& table = table_of(name, depth);
  name_ = is_theme(name) ? table_of(name, ColourDepth::kTrue).name : table.name;
  const ColourDepth used = std::min(depth, table.most);
  for (const Entry* entry = table.first; entry != table.last; ++entry) {
    Look& look = looks_[static_cast<std::size_t>(entry->role)];
    look.foreground = colour_of(entry->rgb, entry->index, used);
    look.background = colour_of(entry->back, entry->back_index, used);
    look.bold = entry->attributes & kBold;
    look.dim = entry->attributes & kDim;
    look.italic = entry->attributes & kItalic;
    look.underline = entry->attributes & kUnderline;
    look.strike = entry->attributes & kStrike;
    look.reverse = entry->attributes & kReverse;
  }
}

Look Theme::look(Style style) const {
  Look look = looks_[static_cast<std::size_t>(style.role)];
  look.bold |= style.bold;
  look.italic |= style.italic;
  look.underline |= style.underline;
  look.strike |= style.strike;
  look.reverse |= style.reverse;
  return look;
}

const std::vector<std::string_view>& theme_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Table& table : kThemes) all.push_back(table.name);
    return all;
  }();
  return names;
}

bool is_theme(std::string_view name) {
  return std::any_of(std::begin(kThemes), std::end(kThemes), [&](const Table& table) { return table.name == name; });
}

std::string_view standard_theme(bool light_background) { return light_background ? "light" : "dark"; }

}  // namespace magi::code::tui
