#include "tools/magi-code/tui/theme/theme.h"

#include <gtest/gtest.h>

namespace magi::code::tui {
namespace {

constexpr Role kRoles[] = {Role::kMuted,   Role::kAccent,    Role::kUser,  Role::kHeading, Role::kLink,
                           Role::kSuccess, Role::kError,     Role::kAdded, Role::kRemoved, Role::kBorder,
                           Role::kTitle,   Role::kSelection, Role::kMatch, Role::kKeyword, Role::kComment};

TEST(Theme, NamesAreListedAndUnknownOnesGiveTheDefault) {
  EXPECT_EQ(theme_names(), (std::vector<std::string_view>{"dark", "light", "high-contrast", "16-colour", "no-colour"}));
  EXPECT_TRUE(is_theme("light"));
  EXPECT_FALSE(is_theme("solar"));
  EXPECT_EQ(Theme("solar", ColourDepth::k256).name(), "dark");
  EXPECT_EQ(standard_theme(true), "light");
}

TEST(Theme, NoColourMeansAttributesAlone) {
  for (const std::string_view name : theme_names()) {
    const Theme theme(name, ColourDepth::kNone);
    EXPECT_EQ(theme.name(), name);
    for (const Role role : kRoles) {
      const Look look = theme.look({role});
      EXPECT_EQ(look.foreground, Colour{});
      EXPECT_EQ(look.background, Colour{});
      EXPECT_NE(look, Look{}) << static_cast<int>(role);
    }
  }
  EXPECT_EQ(Theme("no-colour", ColourDepth::kTrue).look({Role::kError}).foreground, Colour{});
}

TEST(Theme, EachDepthHasColoursOfItsKind) {
  EXPECT_EQ(Theme("dark", ColourDepth::kTrue).look({Role::kError}).foreground.kind, Colour::Kind::kRgb);
  const Colour cube = Theme("dark", ColourDepth::k256).look({Role::kError}).foreground;
  EXPECT_EQ(cube.kind, Colour::Kind::kIndex);
  EXPECT_GE(cube.index, 16);
  for (const std::string_view name : theme_names()) {
    for (const Role role : kRoles) EXPECT_LT(Theme(name, ColourDepth::k16).look({role}).foreground.index, 16);
  }
}

TEST(Theme, TheAttributesOfATextAddToItsRole) {
  const Look look = Theme("dark", ColourDepth::k16).look({Role::kLink, true});
  EXPECT_TRUE(look.bold);
  EXPECT_TRUE(look.underline);
}

std::string sgr(const Look& from, const Look& to) {
  std::string out;
  append_sgr(out, from, to);
  return out;
}

TEST(Sgr, SaysWhatChanges) {
  Look red, bold_red;
  red.foreground = {Colour::Kind::kIndex, 1, 0, 0, 0};
  bold_red = red;
  bold_red.bold = true;
  EXPECT_EQ(sgr({}, {}), "");
  EXPECT_EQ(sgr({}, red), "\033[31m");
  EXPECT_EQ(sgr(red, bold_red), "\033[1m");
  EXPECT_EQ(sgr(bold_red, red), "\033[22m");
  EXPECT_EQ(sgr(bold_red, {}), "\033[m");
  Look other;
  other.background = {Colour::Kind::kIndex, 200, 0, 0, 0};
  other.foreground = {Colour::Kind::kIndex, 9, 0, 0, 0};
  EXPECT_EQ(sgr({}, other), "\033[91;48;5;200m");
  Look rgb;
  rgb.foreground = {Colour::Kind::kRgb, 0, 1, 2, 3};
  EXPECT_EQ(sgr({}, rgb), "\033[38;2;1;2;3m");
}

TEST(Sgr, DimAndBoldEndTogether) {
  Look bold, dim;
  bold.bold = dim.dim = true;
  EXPECT_EQ(sgr(bold, dim), "\033[0;2m");
}

}  // namespace
}  // namespace magi::code::tui
