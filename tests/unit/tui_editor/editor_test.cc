#include "tools/magi-code/tui/editor/editor.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/tui_editor/keys.h"

namespace magi::code::tui {
namespace {

using test::alt;
using test::ctrl;
using test::named;
using test::type;
using Kind = EditorAnswer::Kind;

std::string row_text(const Surface& surface, int row) {
  std::string text;
  for (int column = 0; column < surface.columns(); ++column) text += surface.at(row, column).cluster;
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

// The rows that an editor shows.
std::vector<std::string> shown(Editor& editor, int columns, int most_rows, int* cursor_row = nullptr,
                               int* cursor_column = nullptr) {
  const int rows = editor.layout(columns, most_rows);
  Surface surface(rows, columns);
  editor.draw(surface, {0, 0, rows, columns});
  std::vector<std::string> all;
  for (int row = 0; row < rows; ++row) all.push_back(row_text(surface, row));
  if (cursor_row != nullptr) *cursor_row = surface.cursor_row();
  if (cursor_column != nullptr) *cursor_column = surface.cursor_column();
  return all;
}

TEST(Editor, TypesAndSends) {
  Editor editor;
  type(editor, "fix 日本 e\u0301");
  EXPECT_EQ(editor.text(), "fix 日本 e\u0301");
  const EditorAnswer sent = editor.key(named(KeyCode::kEnter));
  EXPECT_EQ(sent.kind, Kind::kSubmit);
  EXPECT_EQ(sent.text, "fix 日本 e\u0301");
  EXPECT_TRUE(editor.empty());
}

TEST(Editor, SeveralLines) {
  Editor editor;
  type(editor, "one\ntwo");
  (void)editor.key(ctrl('j'));
  type(editor, "three\\");
  EXPECT_EQ(editor.key(named(KeyCode::kEnter)).kind, Kind::kHandled) << "a backslash at the end goes on";
  (void)editor.key(named(KeyCode::kEnter, false, false, true));
  type(editor, "x");
  EXPECT_EQ(editor.text(), "one\ntwo\nthree\n\nx");
}

TEST(Editor, MovesAndErasesByCluster) {
  Editor editor;
  type(editor, "a👨\u200D👩\u200D👧e\u0301b");
  for (int i = 0; i < 2; ++i) (void)editor.key(named(KeyCode::kLeft));
  (void)editor.key(named(KeyCode::kBackspace));
  EXPECT_EQ(editor.text(), "ae\u0301b");
  (void)editor.key(named(KeyCode::kDelete));
  EXPECT_EQ(editor.text(), "ab");
}

TEST(Editor, EmacsKeys) {
  Editor editor;
  type(editor, "alpha beta gamma");
  (void)editor.key(ctrl('a'));
  (void)editor.key(alt('f'));
  (void)editor.key(ctrl('k'));
  EXPECT_EQ(editor.text(), "alpha");
  (void)editor.key(ctrl('y'));
  EXPECT_EQ(editor.text(), "alpha beta gamma");
  (void)editor.key(ctrl('w'));
  EXPECT_EQ(editor.text(), "alpha beta ");
  (void)editor.key(ctrl('w'));
  EXPECT_EQ(editor.text(), "alpha ");
  (void)editor.key(ctrl('y'));
  EXPECT_EQ(editor.text(), "alpha beta gamma") << "kills that follow each other are one";
  (void)editor.key(alt('y'));
  EXPECT_EQ(editor.text(), "alpha  beta gamma");
  (void)editor.key(ctrl('u'));
  EXPECT_EQ(editor.text(), "");
  EXPECT_EQ(editor.key(ctrl('d')).kind, Kind::kIgnored);
}

TEST(Editor, TransposesAndChangesCase) {
  Editor editor;
  type(editor, "teh word");
  (void)editor.key(ctrl('a'));
  (void)editor.key(ctrl('f'));
  (void)editor.key(ctrl('f'));
  (void)editor.key(ctrl('t'));
  EXPECT_EQ(editor.text(), "the word");
  (void)editor.key(alt('u'));
  EXPECT_EQ(editor.text(), "the WORD");
  (void)editor.key(ctrl('a'));
  (void)editor.key(alt('c'));
  (void)editor.key(alt('l'));
  EXPECT_EQ(editor.text(), "The word");
}

TEST(Editor, UndoesWordsAndRedoes) {
  Editor editor;
  type(editor, "one two");
  (void)editor.key(ctrl('_'));
  EXPECT_EQ(editor.text(), "one ");
  (void)editor.key(ctrl('_'));
  EXPECT_EQ(editor.text(), "");
  (void)editor.key(ctrl('x'));
  (void)editor.key(ctrl('r'));
  EXPECT_EQ(editor.text(), "one ");
  type(editor, "x");
  (void)editor.key(ctrl('x'));
  (void)editor.key(ctrl('r'));
  EXPECT_EQ(editor.text(), "one x") << "a change ends what could be redone";
}

TEST(Editor, AnExternalEditorGetsTheText) {
  Editor editor;
  type(editor, "draft");
  (void)editor.key(ctrl('x'));
  const EditorAnswer answer = editor.key(ctrl('e'));
  EXPECT_EQ(answer.kind, Kind::kEditExternally);
  EXPECT_EQ(answer.text, "draft");
  EXPECT_EQ(editor.key(ctrl('g')).kind, Kind::kEditExternally);
  editor.set_text("edited\noutside");
  EXPECT_EQ(editor.text(), "edited\noutside");
  (void)editor.key(ctrl('_'));
  EXPECT_EQ(editor.text(), "draft");
}

TEST(Editor, Tui07LongPastesAreOneChipThatIsSentWhole) {
  Editor editor;
  std::string pasted;
  for (int i = 0; i < 1'234; ++i) pasted += "line " + std::to_string(i) + "\n";
  type(editor, "look: ");
  editor.paste(pasted);
  type(editor, " end");
  EXPECT_EQ(shown(editor, 60, 5), std::vector<std::string>{"look: [pasted\u00A01,234\u00A0lines] end"});
  EXPECT_EQ(editor.text(), "look: " + pasted + " end");
  for (int i = 0; i < 4; ++i) (void)editor.key(named(KeyCode::kLeft));
  (void)editor.key(named(KeyCode::kBackspace));
  EXPECT_EQ(editor.text(), "look:  end");
  (void)editor.key(ctrl('_'));
  EXPECT_EQ(editor.text(), "look: " + pasted + " end");
  (void)editor.key(ctrl('e'));
  EXPECT_EQ(editor.key(named(KeyCode::kEnter)).text, "look: " + pasted + " end");
}

TEST(Editor, Tui06ShortPastesAreTypedInAndNothingIsSent) {
  Editor editor;
  editor.paste("a\r\nb\rc");
  EXPECT_EQ(editor.text(), "a\nb\nc");
  EXPECT_EQ(editor.key(named(KeyCode::kEnter)).text, "a\nb\nc");
}

TEST(Editor, ALongLineIsAChipByItsBytes) {
  Editor editor;
  (void)editor.key({KeyCode::kText, std::string(2'500, 'x'), false, false, false});
  EXPECT_EQ(shown(editor, 60, 5), std::vector<std::string>{"[pasted\u00A02,500\u00A0bytes]"});
}

TEST(Editor, APasteOfTwoMegabytesIsNoWork) {
  Editor editor;
  std::string pasted;
  while (pasted.size() < 2'000'000) pasted += "some text in a line\n";
  const auto begin = std::chrono::steady_clock::now();
  editor.paste(pasted);
  type(editor, "x");
  (void)shown(editor, 80, 10);
  const auto spent = std::chrono::steady_clock::now() - begin;
  std::printf("[ PASTED   ] 2 MB, a key and a frame: %d us\n",
              static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(spent).count()));
  EXPECT_EQ(editor.text().size(), pasted.size() + 1);
}

// No assertion: what a key costs, from the event to the cells, for a prompt of some length.
TEST(Editor, WhatAKeyCosts) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{1'900}, std::size_t{20'000}}) {
    Editor editor;
    for (std::size_t had = 0; had < bytes; had += 20) editor.insert("words in a long line");
    const auto begin = std::chrono::steady_clock::now();
    constexpr int kKeys = 200;
    for (int i = 0; i < kKeys; ++i) {
      type(editor, i % 2 == 0 ? "x" : "\n");
      (void)shown(editor, 200, 12);
    }
    const auto spent = std::chrono::steady_clock::now() - begin;
    std::printf("[ KEY      ] in %zu bytes: %d us\n", bytes,
                static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(spent).count()) / kKeys);
  }
}

TEST(Editor, HostilePastesAreSentAsTheyAreAndDrawnSafe) {
  Editor editor;
  editor.paste("a\033[2Jb\tc\x01");
  EXPECT_EQ(editor.text(), "a\033[2Jb\tc\x01");
  const std::vector<std::string> rows = shown(editor, 40, 3);
  EXPECT_EQ(rows, std::vector<std::string>{"a␛[2Jb    c␁"});
  (void)editor.key(named(KeyCode::kBackspace));
  (void)editor.key(named(KeyCode::kBackspace));
  EXPECT_EQ(editor.text(), "a\033[2Jb\t");
}

TEST(Editor, WrapsAndKeepsTheCursorInView) {
  Editor editor;
  int row = 0, column = 0;
  type(editor, "the quick brown fox jumps");
  EXPECT_EQ(shown(editor, 11, 5, &row, &column), (std::vector<std::string>{"the quick", "brown fox", "jumps"}));
  EXPECT_EQ(row, 2);
  EXPECT_EQ(column, 5);
  EXPECT_EQ(shown(editor, 11, 2, &row, &column), (std::vector<std::string>{"brown fox", "jumps"}));
  for (int i = 0; i < 2; ++i) (void)editor.key(named(KeyCode::kUp));
  EXPECT_EQ(shown(editor, 11, 2, &row, &column), (std::vector<std::string>{"the quick", "brown fox"}));
  EXPECT_EQ(row, 0);
  EXPECT_EQ(column, 5);
  (void)editor.key(named(KeyCode::kDown));
  (void)editor.key(named(KeyCode::kEnd));
  EXPECT_EQ(editor.text(), "the quick brown fox jumps");
}

TEST(Editor, UpAndDownKeepTheirColumn) {
  Editor editor;
  type(editor, "long line\nx\nanother");
  (void)shown(editor, 40, 5);
  int row = 0, column = 0;
  (void)editor.key(named(KeyCode::kUp));
  (void)editor.key(named(KeyCode::kUp));
  (void)shown(editor, 40, 5, &row, &column);
  EXPECT_EQ(row, 0);
  EXPECT_EQ(column, 7);
}

TEST(Editor, AClickPlacesTheCursor) {
  Editor editor;
  type(editor, "日本語\nabc");
  (void)shown(editor, 20, 5);
  editor.click(0, 3);
  type(editor, "X");
  EXPECT_EQ(editor.text(), "日X本語\nabc");
  editor.click(9, 99);
  type(editor, "Y");
  EXPECT_EQ(editor.text(), "日X本語\nabcY");
}

TEST(Editor, HistoryAtTheEnds) {
  Editor editor;
  editor.set_history({"first", "second"});
  type(editor, "draft");
  (void)editor.key(named(KeyCode::kUp));
  EXPECT_EQ(editor.text(), "second");
  (void)editor.key(named(KeyCode::kUp));
  EXPECT_EQ(editor.text(), "first");
  EXPECT_EQ(editor.key(named(KeyCode::kUp)).kind, Kind::kIgnored);
  (void)editor.key(named(KeyCode::kDown));
  (void)editor.key(named(KeyCode::kDown));
  EXPECT_EQ(editor.text(), "draft");
  EXPECT_EQ(editor.key(named(KeyCode::kDown)).kind, Kind::kIgnored);
  editor.remember("third");
  editor.remember("third");
  (void)editor.key(named(KeyCode::kUp));
  EXPECT_EQ(editor.text(), "third");
  (void)editor.key(named(KeyCode::kUp));
  EXPECT_EQ(editor.text(), "second");
}

TEST(Editor, HistoryIsSearchedAsOneTypes) {
  Editor editor;
  editor.set_history({"fix the parser", "run tests", "Fix the printer", "run tests"});
  type(editor, "draft");
  (void)editor.key(ctrl('r'));
  type(editor, "fix");
  EXPECT_EQ(editor.text(), "Fix the printer");
  EXPECT_EQ(editor.status(), "history: fix");
  (void)editor.key(ctrl('r'));
  EXPECT_EQ(editor.text(), "fix the parser");
  (void)editor.key(ctrl('s'));
  EXPECT_EQ(editor.text(), "Fix the printer");
  type(editor, "x");
  EXPECT_EQ(editor.status(), "not in history: fixx");
  (void)editor.key(named(KeyCode::kEscape));
  EXPECT_EQ(editor.text(), "draft");
  (void)editor.key(ctrl('r'));
  type(editor, "tests");
  EXPECT_EQ(editor.key(named(KeyCode::kEnter)).kind, Kind::kHandled) << "Enter takes it, and does not send it";
  EXPECT_EQ(editor.text(), "run tests");
}

TEST(Editor, KindsOfPrompts) {
  EXPECT_EQ(prompt_kind("/compact keep tests"), PromptKind::kSlashCommand);
  EXPECT_EQ(prompt_kind("/usr/lib is full"), PromptKind::kPrompt);
  EXPECT_EQ(prompt_kind("/"), PromptKind::kPrompt);
  EXPECT_EQ(prompt_kind("!ls -l"), PromptKind::kShell);
  EXPECT_EQ(prompt_kind("what is /compact"), PromptKind::kPrompt);
  EXPECT_EQ(prompt_kind(""), PromptKind::kPrompt);
}

TEST(Editor, APlaceholderStandsInAnEmptyEditor) {
  Editor editor;
  editor.set_placeholder("Ask\033[2J something");
  EXPECT_EQ(shown(editor, 40, 3), std::vector<std::string>{"Ask something"});
  type(editor, "x");
  EXPECT_EQ(shown(editor, 40, 3), std::vector<std::string>{"x"});
}

// What a text editor is, as simply as it can be said.
struct Model {
  std::vector<std::string> units;
  std::size_t cursor = 0;

  std::size_t line_begin() const {
    std::size_t at = cursor;
    while (at > 0 && units[at - 1] != "\n") --at;
    return at;
  }
  std::size_t line_end() const {
    std::size_t at = cursor;
    while (at < units.size() && units[at] != "\n") ++at;
    return at;
  }
  void insert(const std::string& unit) { units.insert(units.begin() + static_cast<std::ptrdiff_t>(cursor++), unit); }
  void erase(std::size_t begin, std::size_t end) {
    units.erase(units.begin() + static_cast<std::ptrdiff_t>(begin), units.begin() + static_cast<std::ptrdiff_t>(end));
    cursor = begin;
  }
  std::string text() const {
    std::string all;
    for (const std::string& unit : units) all += unit;
    return all;
  }
};

TEST(Editor, ManyRandomKeysDoWhatASimpleModelDoes) {
  constexpr unsigned kSeed = 17;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  Editor editor;
  Model model;
  const std::string units[] = {"a", "b", " ", "日", "👍🏽", "é", "."};
  for (int i = 0; i < 100'000; ++i) {
    switch (random() % 16) {
      case 0:
        (void)editor.key(named(KeyCode::kLeft));
        if (model.cursor > 0) --model.cursor;
        break;
      case 1:
        (void)editor.key(ctrl('f'));
        if (model.cursor < model.units.size()) ++model.cursor;
        break;
      case 2:
        (void)editor.key(named(KeyCode::kBackspace));
        if (model.cursor > 0) model.erase(model.cursor - 1, model.cursor);
        break;
      case 3:
        (void)editor.key(named(KeyCode::kDelete));
        if (model.cursor < model.units.size()) model.erase(model.cursor, model.cursor + 1);
        break;
      case 4:
        (void)editor.key(random() % 2 == 0 ? named(KeyCode::kHome) : ctrl('a'));
        model.cursor = model.line_begin();
        break;
      case 5:
        (void)editor.key(random() % 2 == 0 ? named(KeyCode::kEnd) : ctrl('e'));
        model.cursor = model.line_end();
        break;
      case 6:
        if (random() % 8 != 0) break;
        (void)editor.key(ctrl('k'));
        model.erase(model.cursor, model.line_end() == model.cursor ? std::min(model.cursor + 1, model.units.size())
                                                                   : model.line_end());
        break;
      case 7:
        if (random() % 8 != 0) break;
        (void)editor.key(ctrl('u'));
        model.erase(model.line_begin() == model.cursor && model.cursor > 0 ? model.cursor - 1 : model.line_begin(),
                    model.cursor);
        break;
      case 8:
        (void)editor.key(ctrl('j'));
        model.insert("\n");
        break;
      case 9:
        (void)editor.key(random() % 2 == 0 ? named(KeyCode::kHome, true) : named(KeyCode::kEnd, true));
        // Which of both is seen from where a letter appears.
        (void)editor.key(named(KeyCode::kHome, true));
        model.cursor = 0;
        break;
      default: {
        const std::string& unit = units[random() % std::size(units)];
        (void)editor.key({KeyCode::kText, unit, false, false, false});
        model.insert(unit);
      }
    }
    if (i % 16 == 0) {
      ASSERT_EQ(editor.text(), model.text()) << "key " << i;
    }
    if (model.units.size() > 400) {
      (void)editor.key(named(KeyCode::kEnd, true));
      ASSERT_EQ(editor.key(named(KeyCode::kEnter)).text, model.text());
      model = {};
    }
  }
}

// Everything at once, also vi's keys: whatever is pressed, the text stays valid, and undoing all of it empties it.
TEST(Editor, RandomKeysOfEverySortBreakNothing) {
  constexpr unsigned kSeed = 23;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const std::string texts[] = {"a", "w",      "d",      "c", "y", "p",  "3", "x",  "i", "o", "u", ".", "/", "@", "$",
                               "#", "\u0301", "\u200D", "👨", "🇯", "日", "(", "\"", "f", "g", "J", "~", "G", "0", " "};
  auto candidates = std::make_shared<Candidates>();
  for (int i = 0; i < 50; ++i) candidates->push_back({"name" + std::to_string(i), "detail", i % 2 == 0});
  for (int round = 0; round < 60; ++round) {
    Editor editor;
    editor.use_vi_keys(round % 2 == 0);
    editor.set_history({"one\ntwo", "three", std::string(3'000, 'y')});
    for (const char trigger : {'/', '@', '$', '#'}) editor.set_candidates(trigger, candidates);
    for (int i = 0; i < 400; ++i) {
      Key key;
      const unsigned sort = random() % 10;
      if (sort < 6) key.text = texts[random() % std::size(texts)];
      if (sort == 6) key.text = std::string(1, static_cast<char>('a' + random() % 26)), key.ctrl = true;
      if (sort == 7) key.text = std::string(1, static_cast<char>('a' + random() % 26)), key.alt = true;
      if (sort > 7)
        key.code = static_cast<KeyCode>(1 + random() % 26), key.shift = random() % 4 == 0, key.ctrl = random() % 4 == 0;
      if (key.code == KeyCode::kEnter && random() % 8 != 0) key.code = KeyCode::kEscape;
      (void)editor.key(key);
      if (random() % 40 == 0) editor.paste(random() % 2 == 0 ? "p\nq" : std::string(2'500, 'z'));
      const int rows = editor.layout(12, 4);
      Surface surface(rows, 12);
      editor.draw(surface, {0, 0, rows, 12});
      ASSERT_GE(surface.cursor_row(), 0) << "round " << round << " key " << i;
      if (editor.completion_open()) {
        Surface list(8, 30);
        editor.draw_completion(list, {0, 0, 8, 30});
      }
      ASSERT_EQ(editor.text().find('\xFF'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace magi::code::tui
