#include "tools/magi-code/tui/screen/painter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/tui_screen/vterm.h"
#include "tools/magi-code/tui/screen/row_writer.h"
#include "tools/magi-code/tui/screen/scroll.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

using test::Emulator;

constexpr Rect kAll{0, 0, 1000, 1000};

Capabilities capabilities() { return known_capabilities({"xterm", {}, {}, {}, false}); }

int index_of(const Colour& colour) { return colour.kind == Colour::Kind::kIndex ? colour.index : -1; }

// Where emulator and surface differ, in words; empty: nowhere.  Clusters that emulators disagree on are left out.
std::string difference(const Emulator& emulator, const Surface& surface, const Theme& theme) {
  for (int row = 0; row < surface.rows(); ++row) {
    for (int column = 0; column < surface.columns(); ++column) {
      const Cell& cell = surface.at(row, column);
      const std::size_t owner = cell.cluster.empty() ? 1 : 0;
      if (cluster_at(surface.at(row, column - static_cast<int>(owner)).cluster, 0).uncertain) continue;
      const Look look = theme.look(cell.style);
      const Emulator::Shown shown = emulator.at(row, column);
      const std::string where =
          std::to_string(row) + "," + std::to_string(column) + " '" + cell.cluster + "' shown '" + shown.text + "'";
      if (shown.text != cell.cluster) return "text at " + where;
      if (cell.cluster.empty()) continue;  // the emulator keeps a look for the left half alone
      if (index_of(look.background) != shown.background || look.reverse != shown.reverse ||
          look.underline != shown.underline || look.strike != shown.strike) {
        return "look at " + where;
      }
      const bool is_blank = cell.cluster == " " && !look.reverse;
      if (!is_blank &&
          (index_of(look.foreground) != shown.foreground || look.bold != shown.bold || look.italic != shown.italic)) {
        return "colour at " + where;
      }
    }
  }
  const bool visible = surface.cursor_row() >= 0;
  if (visible != emulator.cursor_visible()) return "cursor's visibility";
  if (visible &&
      (surface.cursor_row() != emulator.cursor_row() || surface.cursor_column() != emulator.cursor_column())) {
    return "cursor at " + std::to_string(emulator.cursor_row()) + "," + std::to_string(emulator.cursor_column());
  }
  return {};
}

class Pictures {
 public:
  Pictures(unsigned seed, bool with_uncertain) : random_(seed), with_uncertain_(with_uncertain) {}

  unsigned some(unsigned most) { return random_() % most; }

  std::string piece() {
    static const std::string kCertain[] = {"a",    "b", "word", " ",       "   ", "日",
                                           "本語", "é", "─",    "e\u0301", "한",  "x y z"};
    static const std::string kUncertain[] = {"🎉",  "❤\uFE0F", "👨\u200D👩\u200D👧",    "👍🏽",
                                             "🇯🇵", "🫂",    "\u1112\u1161\u11AB", "ก\u0E33"};
    if (with_uncertain_ && some(4) == 0) return kUncertain[some(std::size(kUncertain))];
    return kCertain[some(std::size(kCertain))];
  }

  Style style() {
    static constexpr Role kRoles[] = {Role::kText,      Role::kText,  Role::kText, Role::kError,
                                      Role::kSelection, Role::kMatch, Role::kLink};
    Style style{kRoles[some(std::size(kRoles))]};
    if (some(6) == 0) style.bold = true;
    if (some(9) == 0) style.reverse = true;
    if (some(9) == 0) style.strike = true;
    return style;
  }

  void draw_line(Surface& surface, int row) {
    surface.fill({row, 0, 1, surface.columns()}, some(5) == 0 ? style() : Style{});
    int column = static_cast<int>(some(3)) * 3;
    while (column < surface.columns() && some(12) != 0) column = surface.put(kAll, row, column, piece(), style());
  }

  // The next frame after `last`: a few cells, a few lines, a part that has scrolled, or all of it.
  Surface next(const Surface& last) {
    Surface surface = last;
    const int rows = surface.rows(), columns = surface.columns();
    const auto row = [&] { return static_cast<int>(some(static_cast<unsigned>(rows))); };
    switch (some(6)) {
      case 0:
        for (int r = 0; r < rows; ++r) draw_line(surface, r);
        break;
      case 1:
      case 2: {
        const int a = row(), b = row(), top = std::min(a, b), bottom = std::max(a, b) + 1;
        int lines = static_cast<int>(some(7)) - 3;
        lines = std::clamp(lines, top - bottom, bottom - top);
        surface.scroll_rows(top, bottom, lines, {});
        for (int i = 0; i < std::abs(lines); ++i) draw_line(surface, lines > 0 ? bottom - 1 - i : top + i);
        break;
      }
      case 3: surface.restyle({row(), static_cast<int>(some(static_cast<unsigned>(columns))), 2, 5}, style()); break;
      default:
        for (unsigned n = 1 + some(6); n > 0; --n) {
          surface.put(kAll, row(), static_cast<int>(some(static_cast<unsigned>(columns))), piece() + piece(), style());
        }
    }
    surface.set_cursor(-1, -1);
    if (some(4) != 0) surface.set_cursor(row(), static_cast<int>(some(static_cast<unsigned>(columns))));
    return surface;
  }

 private:
  std::mt19937 random_;
  bool with_uncertain_;
};

void expect_equal_after_many_frames(unsigned seed, bool with_uncertain, const Capabilities& can,
                                    std::string_view theme_name) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Pictures pictures(seed, with_uncertain);
  const Theme theme(theme_name, ColourDepth::k16);
  int rows = 12, columns = 30;
  Emulator emulator(rows, columns);
  emulator.feed(enter_sequence(can, false));
  Painter painter(can, theme);
  Surface shown(rows, columns);
  for (int frame = 0; frame < 400; ++frame) {
    if (pictures.some(40) == 0) {
      rows = 1 + static_cast<int>(pictures.some(20)), columns = 2 + static_cast<int>(pictures.some(60));
      emulator.resize(rows, columns);
      shown = Surface(rows, columns);
      painter.invalidate();
    }
    const Surface next = pictures.next(shown);
    const std::string bytes = painter.paint(next);
    emulator.feed(bytes);
    const std::string found = difference(emulator, next, theme);
    ASSERT_EQ(found, "") << "frame " << frame << ": " << testing::PrintToString(bytes);
    ASSERT_EQ(painter.paint(next), "") << "the same frame again";
    shown = next;
  }
}

TEST(Painter, TheTerminalShowsTheSurface) {
  for (unsigned seed = 1; seed <= 15; ++seed) expect_equal_after_many_frames(seed, false, capabilities(), "dark");
}

TEST(Painter, UncertainClustersDisturbNothingElse) {
  for (unsigned seed = 100; seed < 115; ++seed) expect_equal_after_many_frames(seed, true, capabilities(), "dark");
}

TEST(Painter, WithEveryMixOfCapabilitiesAndThemes) {
  for (unsigned seed = 200; seed < 210; ++seed) {
    Capabilities can = capabilities();
    can.scroll_by_su = seed % 2 == 0;
    can.synchronized_output = seed % 3 == 0;
    expect_equal_after_many_frames(seed, true, can, seed % 4 == 0 ? "high-contrast" : "16-colour");
  }
}

TEST(Painter, Tui04AfterAResizeNothingOfTheOldSizeStays) {
  const Theme theme("dark", ColourDepth::k16);
  Emulator emulator(50, 200);
  Painter painter(capabilities(), theme);
  for (int i = 0; i < 20; ++i) {
    const int rows = i % 2 == 0 ? 50 : 5, columns = i % 2 == 0 ? 200 : 20;
    emulator.resize(rows, columns);
    Surface surface(rows, columns);
    for (int row = 0; row < rows; ++row)
      surface.put(kAll, row, 0, "row " + std::to_string(row) + " of " + std::to_string(rows));
    emulator.feed(painter.paint(surface));
    EXPECT_EQ(difference(emulator, surface, theme), "");
  }
}

TEST(Painter, Tui10StreamingNeitherClearsNorRepaints) {
  const Theme theme("dark", ColourDepth::kTrue);
  Capabilities can = capabilities();
  can.synchronized_output = true;
  Painter painter(can, theme);
  constexpr int kRows = 24, kColumns = 80, kBox = 3;
  Surface surface(kRows, kColumns);
  surface.frame({kRows - kBox, 0, kBox, kColumns});
  std::mt19937 random(3);
  std::string line;
  (void)painter.paint(surface);
  std::size_t text_bytes = 0, bytes = 0;
  for (int delta = 0; delta < 1'000; ++delta) {
    std::string word(1 + random() % 9, static_cast<char>('a' + random() % 26));
    word += ' ';
    text_bytes += word.size();
    if (line.size() + word.size() > kColumns) {
      surface.scroll_rows(0, kRows - kBox, 1, {});
      line.clear();
    }
    line += word;
    surface.put(kAll, kRows - kBox - 1, 0, line, {Role::kAssistant});
    surface.set_cursor(kRows - 2, 4);
    const std::string frame = painter.paint(surface);
    EXPECT_EQ(frame.find("\033[2J"), std::string::npos);
    EXPECT_EQ(frame.find("\033[J"), std::string::npos);
    bytes += frame.size();
  }
  // One word a frame is the worst case; a frame of many words costs no more than one of one.
  RecordProperty("bytes_for_each_text_byte_x100", static_cast<int>(bytes * 100 / text_bytes));
  EXPECT_LT(bytes, text_bytes * 5);
}

TEST(Painter, AScrolledScreenCostsItsNewLines) {
  const Theme theme("dark", ColourDepth::kTrue);
  Painter painter(capabilities(), theme);
  std::mt19937 random(4);
  Surface surface(40, 120);
  std::size_t text_bytes = 0, bytes = 0;
  for (int frame = 0; frame < 200; ++frame) {
    surface.scroll_rows(0, 37, 13, {});
    for (int row = 24; row < 37; ++row) {
      std::string line;
      while (line.size() < 60) line += std::string(1 + random() % 9, static_cast<char>('a' + random() % 26)) + ' ';
      Line styled;
      styled.add(line.substr(0, 10), {Role::kAccent}).add(line.substr(10));
      surface.put(kAll, row, 0, styled);
      text_bytes += line.size();
    }
    const std::string painted = painter.paint(surface);
    if (frame > 0) bytes += painted.size();
  }
  RecordProperty("bytes_for_each_text_byte_x100", static_cast<int>(bytes * 100 / text_bytes));
  EXPECT_LT(bytes, text_bytes * 2);
}

// No assertion: figures for whoever changes the painter (--gtest_output=json).
TEST(Painter, WhatAFrameCosts) {
  const Theme theme("dark", ColourDepth::kTrue);
  Painter painter(capabilities(), theme);
  Surface surface(50, 200);
  std::mt19937 random(6);
  const auto draw_row = [&](int row) {
    for (int column = 0; column < 190; column += 10) {
      surface.put(kAll, row, column, "word" + std::to_string(random() % 1'000),
                  {column % 3 == 0 ? Role::kKeyword : Role::kText});
    }
  };
  for (int row = 0; row < 50; ++row) draw_row(row);
  const auto measure = [&](const char* name, int rounds, const auto& change) {
    std::size_t bytes = 0;
    std::int64_t spent_ns = 0;
    for (int i = 0; i < rounds; ++i) {
      change(i);
      Surface frame = surface;
      const auto begin = std::chrono::steady_clock::now();
      bytes += painter.paint(std::move(frame)).size();
      spent_ns +=
          std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();
    }
    const std::string value = std::to_string(spent_ns / rounds / 1'000) + " us, " +
                              std::to_string(bytes / static_cast<std::size_t>(rounds)) + " bytes";
    RecordProperty(name, value);
    std::printf("[ FRAME    ] 200x50, %s: %s\n", name, value.c_str());
  };
  measure("all", 50, [&](int) { painter.invalidate(); });
  measure("nothing", 200, [](int) {});
  measure("one_cell", 200, [&](int i) { surface.put(kAll, 20, 20, std::string(1, static_cast<char>('a' + i % 26))); });
  measure("scroll", 200, [&](int) {
    surface.scroll_rows(0, 45, 1, {});
    draw_row(44);
  });
  measure("every_row", 50, [&](int) {
    for (int row = 0; row < 50; ++row) draw_row(row);
  });
}

TEST(Painter, Tui12WithoutColourNoColourIsSaid) {
  const Theme theme("dark", ColourDepth::kNone);
  Painter painter(capabilities(), theme);
  Pictures pictures(5, true);
  Surface surface(10, 40);
  for (int frame = 0; frame < 50; ++frame) {
    surface = pictures.next(surface);
    const std::string bytes = painter.paint(surface);
    for (std::size_t at = bytes.find("\033["); at != std::string::npos; at = bytes.find("\033[", at + 1)) {
      const std::size_t end = bytes.find_first_not_of("0123456789;?", at + 2);
      if (bytes[end] != 'm') continue;
      std::string codes = ";" + bytes.substr(at + 2, end - at - 2) + ";";
      for (const char* colour : {";3", ";4", ";9", ";10"}) {
        const std::size_t found = codes.find(colour);
        const bool is_attribute = found != std::string::npos && codes[found + 2] == ';' && colour[1] != '1';
        EXPECT_TRUE(found == std::string::npos || is_attribute) << codes;
      }
    }
  }
}

TEST(Painter, TypingCostsACharacter) {
  Painter painter(capabilities(), Theme("dark", ColourDepth::k256));
  Surface surface(24, 80);
  surface.set_cursor(20, 2);
  (void)painter.paint(surface);
  surface.put(kAll, 20, 2, "a");
  surface.set_cursor(20, 3);
  EXPECT_EQ(painter.paint(surface), "a");
  surface.set_cursor(20, 2);
  EXPECT_EQ(painter.paint(surface), "\033[3G");
}

TEST(Painter, ScreensWithoutPicturesOfLinesGetAscii) {
  Capabilities can = known_capabilities({"linux", {}, {}, {}, false});
  Painter painter(can, Theme("dark", ColourDepth::k16));
  Surface surface(3, 6);
  surface.frame({0, 0, 3, 6});
  Emulator emulator(3, 6);
  emulator.feed(painter.paint(surface));
  EXPECT_EQ(emulator.row(0), "+----+");
  EXPECT_EQ(emulator.row(1), "|    |");
}

TEST(Scroll, FindsWhatMovedAndLeavesWhatStands) {
  const auto marks = [](const std::vector<int>& rows) {
    std::vector<RowMark> all;
    for (const int row : rows) all.push_back({static_cast<std::uint64_t>(row), row == 0 ? 0 : 60});
    return all;
  };
  const Scroll up = find_scroll(marks({1, 2, 3, 4, 5, 9}), marks({2, 3, 4, 5, 6, 9}));
  EXPECT_EQ(up.lines, 1);
  EXPECT_EQ(up.top, 0);
  EXPECT_EQ(up.bottom, 5);
  const Scroll down = find_scroll(marks({1, 2, 3, 4, 5, 9}), marks({7, 8, 1, 2, 3, 9}));
  EXPECT_EQ(down.lines, -2);
  EXPECT_EQ(down.top, 0);
  EXPECT_EQ(down.bottom, 5);
  EXPECT_EQ(find_scroll(marks({1, 2, 3}), marks({1, 2, 3})).lines, 0);
  EXPECT_EQ(find_scroll(marks({1, 2, 3}), marks({4, 5, 6})).lines, 0);
  EXPECT_EQ(find_scroll(marks({0, 0, 0, 1}), marks({0, 0, 0, 2})).lines, 0);
}

}  // namespace
}  // namespace magi::code::tui
