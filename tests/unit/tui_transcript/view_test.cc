// Scrolling, resizing, focus, search and copying.
#include <gtest/gtest.h>

#include "tests/unit/tui_transcript/drawn.h"
#include "tests/unit/tui_transcript/events.h"

namespace magi::code::tui {
namespace {

// "line 1" ... as one code block: a line each at any width.
Transcript numbered(int lines) {
  Transcript transcript;
  std::string text = "```\n";
  for (int i = 1; i <= lines; ++i) text += "line " + std::to_string(i) + "\n";
  transcript.text(text);
  return transcript;
}

std::string first_row(Transcript& transcript, int columns = 40, int rows = 10) {
  const std::string text = drawn(transcript, columns, rows);
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n') - begin);
}

TEST(View, FollowsTheEndUntilScrolledAway) {
  Transcript transcript = numbered(100);
  EXPECT_EQ(first_row(transcript), "line 91");
  transcript.text("line 101\n");
  EXPECT_EQ(first_row(transcript), "line 92");
  transcript.scroll_lines(-5);
  EXPECT_EQ(first_row(transcript), "line 87");
  transcript.text("line 102\nline 103\n");
  EXPECT_EQ(first_row(transcript), "line 87");
  EXPECT_FALSE(transcript.place().at_end);
  EXPECT_TRUE(transcript.place().new_below);
  transcript.scroll_lines(100);
  EXPECT_EQ(first_row(transcript), "line 94");
  EXPECT_TRUE(transcript.place().at_end);
  transcript.text("line 104\n");
  EXPECT_EQ(first_row(transcript), "line 95");
}

TEST(View, PagesAndEnds) {
  Transcript transcript = numbered(100);
  transcript.layout(40, 10);
  transcript.scroll_to_top();
  EXPECT_EQ(first_row(transcript), "line 1");
  transcript.scroll_pages(2);
  EXPECT_EQ(first_row(transcript), "line 19");
  transcript.scroll_pages(-1);
  EXPECT_EQ(first_row(transcript), "line 10");
  transcript.scroll_pages(-100);
  EXPECT_EQ(first_row(transcript), "line 1");
  transcript.scroll_to_end();
  EXPECT_EQ(first_row(transcript), "line 91");
}

TEST(View, FoldingAboveTheViewMovesNothing) {
  Transcript transcript;
  transcript.tool_call(call("c", "bash", R"({"command":"x"})"));
  transcript.tool_result(answer("c", "error", "1\n2\n3\n4\n5\n"));
  std::string text = "```\n";
  for (int i = 1; i <= 50; ++i) text += "line " + std::to_string(i) + "\n";
  transcript.text(text);
  transcript.layout(40, 10);
  transcript.scroll_lines(-20);
  const std::string before = drawn(transcript, 40, 10);
  transcript.fold_all(true);
  EXPECT_EQ(drawn(transcript, 40, 10), before);
  transcript.fold_all(false);
  EXPECT_EQ(drawn(transcript, 40, 10), before);
}

TEST(View, AResizeStormFindsTheSamePlace) {
  Transcript transcript;
  for (int i = 0; i < 60; ++i)
    transcript.text("Paragraph " + std::to_string(i) +
                    " with enough words that it is wrapped at every width there is, and some more.\n\n");
  transcript.layout(200, 50);
  transcript.scroll_lines(-40);
  const std::string before = drawn(transcript, 200, 50);
  for (int i = 0; i < 40; ++i) {
    (void)drawn(transcript, i % 2 ? 20 : 100, i % 2 ? 5 : 30);
    (void)drawn(transcript, 20 + i, 5 + i);
  }
  EXPECT_EQ(drawn(transcript, 200, 50), before);
}

TEST(View, TUI_03_EveryLineOccursOnceAfterResizing) {
  Transcript transcript;
  for (int i = 0; i < 200; ++i) transcript.note("info", "note number " + std::to_string(i) + ".");
  for (int i = 0; i < 20; ++i)
    for (const int columns : {100, 60, 120}) (void)drawn(transcript, columns, 30);
  transcript.scroll_to_top();
  std::string all;
  for (int i = 0; i < 200; ++i) {
    all += first_row(transcript, 120, 1) + "\n";
    transcript.scroll_lines(1);
  }
  for (int i = 0; i < 200; ++i) {
    const std::string line = "note number " + std::to_string(i) + ".\n";
    const std::size_t at = all.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    ASSERT_EQ(all.find(line, at + 1), std::string::npos) << line;
  }
}

TEST(View, JumpsBetweenPrompts) {
  Transcript transcript;
  for (int i = 1; i <= 3; ++i) {
    transcript.prompt("prompt " + std::to_string(i));
    std::string text;
    for (int k = 0; k < 30; ++k) text += "words\n\n";
    transcript.text(text);
  }
  transcript.layout(40, 10);
  transcript.jump_prompt(-1);
  EXPECT_EQ(rows_of(transcript, 40, 10)[1], "  ❯ prompt 3");
  transcript.jump_prompt(-1);
  EXPECT_EQ(rows_of(transcript, 40, 10)[1], "  ❯ prompt 2");
  transcript.scroll_lines(-3);
  transcript.jump_prompt(1);
  EXPECT_EQ(rows_of(transcript, 40, 10)[1], "  ❯ prompt 2");
  transcript.jump_prompt(1);
  transcript.jump_prompt(1);
  EXPECT_TRUE(transcript.place().at_end);
}

TEST(View, FocusWalksOverCardsAndFoldsThem) {
  Transcript transcript;
  transcript.tool_call(call("a", "bash", R"({"command":"one"})"));
  transcript.tool_result(answer("a", "success", "out a\n"));
  transcript.tool_call(call("b", "bash", R"({"command":"two"})"));
  transcript.tool_result(answer("b", "success", "out b\n"));
  transcript.layout(40, 10);
  transcript.focus_next(-1);
  transcript.focus_next(-1);
  EXPECT_TRUE(transcript.has_focus());
  EXPECT_EQ(rows_of(transcript, 40, 10)[0].substr(0, 3), "▌");
  EXPECT_TRUE(transcript.toggle_fold());
  EXPECT_EQ(drawn(transcript, 40, 10),
            "▌ ✓ bash one · 0 ms\n▌   │ command: one\n▌   │ out a\n  ✓ bash two · 0 ms · 1 line\n");
  transcript.focus_at(3);
  EXPECT_EQ(transcript.card_text(), "command: two\n\nout b\n");
  transcript.clear_focus();
  EXPECT_FALSE(transcript.has_focus());
}

TEST(Search, CountsMarksAndUnfolds) {
  Transcript transcript;
  transcript.prompt("find the Needle");
  transcript.tool_call(call("a", "bash", R"({"command":"x"})"));
  transcript.tool_result(answer("a", "success", "hay\nneedle in hay\n"));
  transcript.text("A **nee**dle here, and a needle\nover there.");
  transcript.layout(40, 6);
  transcript.search("n");
  transcript.search("needle");
  EXPECT_EQ(transcript.search_status().matches, 4);
  EXPECT_EQ(transcript.search_status().current, 1);
  transcript.search_step(1);
  EXPECT_EQ(transcript.search_status().current, 2);
  EXPECT_NE(drawn(transcript, 40, 6).find("│ needle in hay"), std::string::npos);
  transcript.search_step(1);
  transcript.search_step(1);
  transcript.search_step(1);
  EXPECT_EQ(transcript.search_status().current, 1);
  transcript.search_step(-1);
  EXPECT_EQ(transcript.search_status().current, 4);
  transcript.search("Needle");
  EXPECT_EQ(transcript.search_status().matches, 1);
  transcript.search("nowhere");
  EXPECT_EQ(transcript.search_status().matches, 0);
  transcript.search("");
  EXPECT_TRUE(transcript.search_status().query.empty());
}

TEST(Search, FindsOverTheBreaksOfWrapping) {
  Transcript transcript;
  transcript.text("aaaa bbbb cccc dddd eeee ffff gggg");
  transcript.layout(20, 6);
  transcript.search("cccc dddd eeee");
  EXPECT_EQ(transcript.search_status().matches, 1);
  Surface surface(6, 20);
  transcript.draw(surface, {0, 0, 6, 20});
  int marked = 0;
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 20; ++column) marked += surface.at(row, column).style.role == Role::kSelection;
  EXPECT_GE(marked, 12);
}

TEST(Search, TextThatArrivesIsFoundByTheNextStep) {
  Transcript transcript;
  transcript.text("one needle ");
  transcript.layout(40, 10);
  transcript.search("needle");
  transcript.text("two needle ");
  transcript.search_step(1);
  EXPECT_EQ(transcript.search_status().matches, 2);
  EXPECT_EQ(transcript.search_status().current, 2);
}

TEST(Copy, LinesWithoutDecorationAndWraps) {
  Transcript transcript;
  transcript.text(
      "A paragraph that is wrapped at this width.\n\n> quoted words\n\n```\ncode that is longer than the line\n  "
      "x\n```\n");
  transcript.layout(26, 20);
  transcript.copy_begin_at(0);
  EXPECT_TRUE(transcript.copying());
  transcript.copy_move(100);
  EXPECT_EQ(transcript.selected_text(),
            "A paragraph that is wrapped at this width.\n\nquoted words\n\ncode that is longer than the line\n  x\n");
  transcript.copy_anchor();
  EXPECT_EQ(transcript.selected_text(), "  x\n");
  transcript.copy_move(-1);
  transcript.copy_end();
  EXPECT_FALSE(transcript.copying());
}

TEST(Copy, BreaksWithoutABlankStayWithout) {
  Transcript transcript;
  transcript.text("日本語の文章はどこでも折り返すことができます and hyphen-ated-words-break-too");
  transcript.layout(26, 20);
  transcript.copy_begin_at(0);
  transcript.copy_move(100);
  EXPECT_EQ(transcript.selected_text(),
            "日本語の文章はどこでも折り返すことができます and hyphen-ated-words-break-too\n");
}

TEST(Copy, AnswersAreTheirSource) {
  Transcript transcript;
  transcript.text("# H\n\n- **a**\x1b]52;c;x\x07\n");
  transcript.turn({"t", "completed"});
  EXPECT_EQ(transcript.last_answer(), "# H\n\n- **a**\n");
  transcript.layout(40, 10);
  transcript.focus_next(-1);
  EXPECT_EQ(transcript.card_text(), "# H\n\n- **a**\n");
}

TEST(Copy, TheCursorScrollsTheView) {
  Transcript transcript = numbered(100);
  transcript.layout(40, 10);
  transcript.copy_begin();
  transcript.copy_move(-30);
  EXPECT_NE(drawn(transcript, 40, 10).find("▶   line 70"), std::string::npos) << drawn(transcript, 40, 10);
  EXPECT_EQ(transcript.selected_text().substr(0, 8), "line 70\n");
}

}  // namespace
}  // namespace magi::code::tui
