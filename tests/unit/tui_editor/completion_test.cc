#include "tools/magi-code/tui/editor/completion.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "tests/unit/tui_editor/keys.h"

namespace magi::code::tui {
namespace {

using test::ctrl;
using test::named;
using test::type;
using Kind = EditorAnswer::Kind;

Editor with_candidates() {
  Editor editor;
  editor.set_candidates('/', std::make_shared<Candidates>(Candidates{{"compact", "make room", true},
                                                                     {"context", "what is in it", false},
                                                                     {"model", "choose", false},
                                                                     {"models", "list", false}}));
  editor.set_candidates('@', std::make_shared<Candidates>(Candidates{
                                 {"src/main.cc", "", false}, {"src/", "", true}, {"tests/domain_test.cc", "", false}}));
  return editor;
}

std::string row_text(const Surface& surface, int row) {
  std::string text;
  for (int column = 0; column < surface.columns(); ++column) text += surface.at(row, column).cluster;
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

TEST(Completion, OpensBehindATriggerAndNarrows) {
  Editor editor = with_candidates();
  type(editor, "/");
  EXPECT_TRUE(editor.completion_open());
  EXPECT_EQ(editor.completion_rows(), 4);
  type(editor, "co");
  EXPECT_EQ(editor.completion_rows(), 2);
  ASSERT_TRUE(editor.completion_query());
  EXPECT_EQ(editor.completion_query()->query, "co");
  type(editor, "q");
  EXPECT_FALSE(editor.completion_open());
  (void)editor.key(named(KeyCode::kBackspace));
  EXPECT_TRUE(editor.completion_open());
}

TEST(Completion, TriggersStandWhereWordsBegin) {
  Editor editor = with_candidates();
  type(editor, "see /co");
  EXPECT_FALSE(editor.completion_open()) << "commands stand at the beginning";
  editor.set_text("");
  type(editor, "mail@src");
  EXPECT_FALSE(editor.completion_open());
  type(editor, " @src");
  EXPECT_TRUE(editor.completion_open());
  type(editor, " ");
  EXPECT_FALSE(editor.completion_open());
  editor.set_text("");
  type(editor, "!echo $");
  EXPECT_FALSE(editor.completion_query()) << "the shell's own";
}

TEST(Completion, EnterOnACompleteCommandRunsItWithTheListOpen) {
  Editor editor = with_candidates();
  type(editor, "/compact");
  EXPECT_TRUE(editor.completion_open());
  const EditorAnswer answer = editor.key(named(KeyCode::kEnter));
  EXPECT_EQ(answer.kind, Kind::kSubmit);
  EXPECT_EQ(answer.text, "/compact");
  type(editor, "/model");
  EXPECT_EQ(editor.key(named(KeyCode::kEnter)).text, "/model") << "and not the longer one";
}

TEST(Completion, EnterOnAPartTakesTheChosenOne) {
  Editor editor = with_candidates();
  type(editor, "/conte");
  const EditorAnswer answer = editor.key(named(KeyCode::kEnter));
  EXPECT_EQ(answer.kind, Kind::kSubmit) << "it takes no arguments";
  EXPECT_EQ(answer.text, "/context");
  type(editor, "/comp");
  EXPECT_EQ(editor.key(named(KeyCode::kEnter)).kind, Kind::kHandled);
  EXPECT_EQ(editor.text(), "/compact ");
  editor.set_text("");
  type(editor, "/model");
  (void)editor.key(named(KeyCode::kDown));
  EXPECT_EQ(editor.key(named(KeyCode::kEnter)).text, "/models") << "what was chosen goes before what was typed";
}

TEST(Completion, TabGoesOnInFolders) {
  Editor editor = with_candidates();
  type(editor, "read @sr");
  (void)editor.key(named(KeyCode::kTab));
  EXPECT_EQ(editor.text(), "read @src/");
  EXPECT_TRUE(editor.completion_open());
  type(editor, "ma");
  (void)editor.key(named(KeyCode::kTab));
  EXPECT_EQ(editor.text(), "read @src/main.cc ");
  EXPECT_FALSE(editor.completion_open());
}

TEST(Completion, EscapeClosesItForThisWordAlone) {
  Editor editor = with_candidates();
  type(editor, "/co");
  EXPECT_EQ(editor.key(named(KeyCode::kEscape)).kind, Kind::kHandled);
  EXPECT_FALSE(editor.completion_open());
  EXPECT_EQ(editor.key(named(KeyCode::kEscape)).kind, Kind::kIgnored);
  type(editor, "n");
  EXPECT_FALSE(editor.completion_open());
  editor.set_text("");
  type(editor, "/co");
  EXPECT_TRUE(editor.completion_open());
}

TEST(Completion, ComesUpByTypingAlone) {
  Editor editor = with_candidates();
  editor.set_history({"/compact", "older"});
  (void)editor.key(named(KeyCode::kUp));
  (void)editor.key(named(KeyCode::kUp));
  EXPECT_EQ(editor.text(), "/compact") << "an entry that is a command does not take the keys of the history";
  EXPECT_FALSE(editor.completion_open());
  (void)editor.key(named(KeyCode::kLeft));
  EXPECT_FALSE(editor.completion_open());
  (void)editor.key(named(KeyCode::kBackspace));
  EXPECT_TRUE(editor.completion_open());
}

TEST(Completion, CandidatesMayComeLater) {
  Editor editor;
  type(editor, "use $te");
  ASSERT_TRUE(editor.completion_query());
  EXPECT_EQ(editor.completion_query()->trigger, '$');
  EXPECT_FALSE(editor.completion_open());
  editor.set_candidates('$', std::make_shared<Candidates>(Candidates{{"testing", "a skill", false}}));
  EXPECT_TRUE(editor.completion_open());
}

TEST(Completion, IsDrawnWithHostileNamesMadeSafe) {
  Editor editor;
  editor.set_candidates('@', std::make_shared<Candidates>(Candidates{{"a\033[2Jb", "x\ny", false}, {"ab", "", false}}));
  type(editor, "@");
  Surface surface(4, 30);
  editor.draw_completion(surface, {0, 0, 2, 30});
  EXPECT_EQ(row_text(surface, 0), "> ab  x y");
  EXPECT_EQ(row_text(surface, 1), "  ab");
  (void)editor.key(named(KeyCode::kDown));
  editor.draw_completion(surface, {0, 0, 2, 30});
  EXPECT_EQ(row_text(surface, 1), "> ab");
}

TEST(Fuzzy, RanksWhatOneMeans) {
  const auto better = [](std::string_view query, std::string_view a, std::string_view b) {
    return fuzzy_score(query, a) > fuzzy_score(query, b);
  };
  EXPECT_LT(fuzzy_score("xyz", "abc"), 0);
  EXPECT_TRUE(better("model", "model", "models"));
  EXPECT_TRUE(better("main", "src/main.cc", "src/domain.cc"));
  EXPECT_TRUE(better("main", "main/x.cc", "src/domain.cc"));
  EXPECT_TRUE(better("width", "text/width.cc", "width/text_of_other_things.cc"));
  EXPECT_TRUE(better("cl", "completion_list.cc", "circle.cc"));
  EXPECT_TRUE(better("ts", "tests", "attributes"));
  EXPECT_EQ(fuzzy_places("mc", "src/main.cc"), (std::vector<std::size_t>{4, 9}));
}

TEST(Fuzzy, ManyFilesAreRankedAtOnce) {
  auto files = std::make_shared<Candidates>();
  for (int i = 0; i < 50'000; ++i) {
    files->push_back(
        {"src/module" + std::to_string(i % 97) + "/part_" + std::to_string(i) + "/file_name.cc", "", false});
  }
  Editor editor;
  editor.set_candidates('@', files);
  const auto begin = std::chrono::steady_clock::now();
  type(editor, "@");
  const auto opened = std::chrono::steady_clock::now();
  type(editor, "p");
  const auto first = std::chrono::steady_clock::now();
  type(editor, "art499");
  const auto end = std::chrono::steady_clock::now();
  const auto us = [](auto d) {
    return static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(d).count());
  };
  std::printf("[ RANKED   ] 50,000 files: open %d us, first letter %d us, six more %d us\n", us(opened - begin),
              us(first - opened), us(end - first));
  EXPECT_TRUE(editor.completion_open());
}

}  // namespace
}  // namespace magi::code::tui
