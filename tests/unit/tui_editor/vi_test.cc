#include <gtest/gtest.h>

#include <string>

#include "tests/unit/tui_editor/keys.h"

namespace magi::code::tui {
namespace {

using test::ctrl;
using test::named;
using test::type;

// The text after `keys` in normal mode, begun at the start of `text`.
std::string after(std::string_view text, std::string_view keys) {
  Editor editor;
  editor.use_vi_keys(true);
  editor.paste(text);
  type(editor, "\033gg0");
  type(editor, keys);
  return editor.text();
}

TEST(Vi, ModesAndStatus) {
  Editor editor;
  editor.use_vi_keys(true);
  EXPECT_EQ(editor.status(), "insert");
  type(editor, "abc\033");
  EXPECT_EQ(editor.status(), "normal");
  EXPECT_EQ(editor.key(named(KeyCode::kEscape)).kind, EditorAnswer::Kind::kIgnored) << "for the app";
  EXPECT_EQ(editor.key(named(KeyCode::kEnter)).kind, EditorAnswer::Kind::kSubmit);
  EXPECT_EQ(editor.status(), "insert");
}

TEST(Vi, OperatorsWithMotions) {
  EXPECT_EQ(after("one two three", "dw"), "two three");
  EXPECT_EQ(after("one two three", "2dw"), "three");
  EXPECT_EQ(after("one two three", "d2w"), "three");
  EXPECT_EQ(after("one two three", "wd$"), "one ");
  EXPECT_EQ(after("one two three", "wD"), "one ");
  EXPECT_EQ(after("one two three", "cwxx\033"), "xx two three");
  EXPECT_EQ(after("one two three", "wcexx\033"), "one xx three");
  EXPECT_EQ(after("one two three", "$db"), "one two e");
  EXPECT_EQ(after("one two three", "dtw"), "wo three");
  EXPECT_EQ(after("one two three", "dfw"), "o three");
  EXPECT_EQ(after("one two three", "de"), " two three");
  EXPECT_EQ(after("a.b c", "dw"), ".b c");
  EXPECT_EQ(after("a.b c", "dW"), "c");
  EXPECT_EQ(after("a b", "wcwx\033"), "a x");
}

TEST(Vi, Lines) {
  EXPECT_EQ(after("one\ntwo\nthree", "dd"), "two\nthree");
  EXPECT_EQ(after("one\ntwo\nthree", "Gdd"), "one\ntwo");
  EXPECT_EQ(after("one\ntwo\nthree", "2dd"), "three");
  EXPECT_EQ(after("one\ntwo\nthree", "dj"), "three");
  EXPECT_EQ(after("one\ntwo\nthree", "dG"), "");
  EXPECT_EQ(after("one\ntwo\nthree", "yyp"), "one\none\ntwo\nthree");
  EXPECT_EQ(after("one\ntwo\nthree", "ddp"), "two\none\nthree");
  EXPECT_EQ(after("one\ntwo\nthree", "GyyggP"), "three\none\ntwo\nthree");
  EXPECT_EQ(after("one\ntwo\nthree", "ccx\033"), "x\ntwo\nthree");
  EXPECT_EQ(after("one\ntwo", "ox\033"), "one\nx\ntwo");
  EXPECT_EQ(after("one\ntwo", "jOx\033"), "one\nx\ntwo");
  EXPECT_EQ(after("one\n  two", "J"), "one two");
  EXPECT_EQ(after("one two\nthree", "wdw"), "one \nthree") << "the line end stays";
}

TEST(Vi, SingleKeys) {
  EXPECT_EQ(after("abc", "x"), "bc");
  EXPECT_EQ(after("abc", "2x"), "c");
  EXPECT_EQ(after("abc", "$X"), "ac");
  EXPECT_EQ(after("abc", "rX"), "Xbc");
  EXPECT_EQ(after("abc", "2rX"), "XXc");
  EXPECT_EQ(after("abc", "4rX"), "abc");
  EXPECT_EQ(after("abc", "sXY\033"), "XYbc");
  EXPECT_EQ(after("abc", "~"), "Abc");
  EXPECT_EQ(after("abc", "A!\033"), "abc!");
  EXPECT_EQ(after("  abc", "$I!\033"), "  !abc");
  EXPECT_EQ(after("abc", "xp"), "bac");
  EXPECT_EQ(after("日本語", "lx"), "日語");
}

TEST(Vi, TextObjects) {
  EXPECT_EQ(after("one two three", "wdiw"), "one  three");
  EXPECT_EQ(after("one two three", "wdaw"), "one three");
  EXPECT_EQ(after("f(a, b)", "fadi("), "f()");
  EXPECT_EQ(after("f(a, b)", "fada("), "f");
  EXPECT_EQ(after("say \"hi you\" now", "fhci\"x\033"), "say \"x\" now");
  EXPECT_EQ(after("f(a)", "d%"), "");
}

TEST(Vi, UndoRedoAndRepeat) {
  EXPECT_EQ(after("one two", "dwu"), "one two");
  EXPECT_EQ(after("one two three", "dw."), "three");
  EXPECT_EQ(after("one two three", "cwx\033w."), "x x three");
  EXPECT_EQ(after("a,b,c", "f,x;x"), "abc");
  EXPECT_EQ(after("abc", "itwo words\033u"), "abc") << "what was typed is undone at once";
  Editor editor;
  editor.use_vi_keys(true);
  type(editor, "abc\033x");
  EXPECT_EQ(editor.text(), "ab");
  type(editor, "u");
  EXPECT_EQ(editor.text(), "abc");
  (void)editor.key(ctrl('r'));
  EXPECT_EQ(editor.text(), "ab");
}

TEST(Vi, KeysThatArriveAsOneTextAreKeys) {
  Editor editor;
  editor.use_vi_keys(true);
  type(editor, "one two three\033");
  (void)editor.key({KeyCode::kText, "0dwihello ", false, false, false});
  EXPECT_EQ(editor.text(), "hello two three");
}

TEST(Vi, UpAndDownReachTheHistory) {
  Editor editor;
  editor.use_vi_keys(true);
  editor.set_history({"before"});
  type(editor, "now\033k");
  EXPECT_EQ(editor.text(), "before");
  type(editor, "j");
  EXPECT_EQ(editor.text(), "now");
}

}  // namespace
}  // namespace magi::code::tui
