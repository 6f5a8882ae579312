#include <gmock/gmock.h>

#include "tests/unit/tui_panel/sample_data.h"
#include "tools/magi-code/tui/panel/diff_rows.h"

namespace magi::code::tui {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Panel> diff() {
  auto panel = make_panel("diff", {}, context());
  panel->opened();
  panel->take(loaded("diff", sample_worktree()));
  return panel;
}

void down(Panel& panel, int rows) {
  for (int i = 0; i < rows; ++i) panel.key(code(KeyCode::kDown));
}

TEST(DiffRows, PutCommentsBehindTheirLines) {
  const WorktreeData data = sample_worktree();
  const DiffRows rows = rows_of(data.files[0], data.comments);
  std::string order;
  for (const DiffEntry& entry : rows.entries)
    order += entry.comment ? data.comments[*entry.comment].id + ' ' : rows.diff.rows[entry.row].text + ' ';
  EXPECT_THAT(order, HasSubstr("int b; c2 int c; int d; c1 int e;"));
}

TEST(DiffRows, AnchorsLookAtTheWorkingTree) {
  const WorktreeData data = sample_worktree();
  const DiffRows rows = rows_of(data.files[0], {});
  const auto at = [&](std::string_view text) {
    for (std::size_t i = 0; i < rows.diff.rows.size(); ++i)
      if (rows.diff.rows[i].text == text) return comment_on(rows, i, "src/parser.cc");
    return std::optional<EditComment>();
  };
  ASSERT_TRUE(at("int d;"));
  EXPECT_EQ(at("int d;")->side, "new");
  EXPECT_EQ(at("int d;")->line, 3);
  EXPECT_EQ(at("int d;")->before, (std::vector<std::string>{"int a;", "int c;"}));
  EXPECT_EQ(at("int d;")->after, (std::vector<std::string>{"int e;", "int f;", "int g;"}));
  ASSERT_TRUE(at("int b;"));
  EXPECT_EQ(at("int b;")->side, "old");
  EXPECT_EQ(at("int b;")->line, 2);
  EXPECT_EQ(at("int b;")->before, std::vector<std::string>{"int a;"});
  EXPECT_EQ(at("int b;")->after, (std::vector<std::string>{"int c;", "int d;", "int e;"}));
  EXPECT_FALSE(comment_on(rows, 0, "src/parser.cc"));  // the head of the hunk
  EXPECT_FALSE(comment_on(rows, 1000, "src/parser.cc"));
}

TEST(Diff, ShowsFilesLinesAndComments) {
  auto panel = diff();
  const std::string shown = screen(*panel, 90, 16);
  EXPECT_THAT(shown, HasSubstr("M src/parser.cc [1] +2 -1"));
  EXPECT_THAT(shown, HasSubstr("why both?"));
  EXPECT_THAT(shown, HasSubstr("resolved: who used it?"));
  EXPECT_EQ(panel->title(), "Changes (2 unresolved comments)");
  // A comment on a file that is as it was again stays in reach.
  EXPECT_THAT(shown, HasSubstr("gone.cc [1]"));
}

TEST(Diff, CommentsOnALine) {
  auto panel = diff();
  panel->key(text_key("c"));
  EXPECT_THAT(screen(*panel, 90, 16), HasSubstr("go to a line first"));
  panel->key(code(KeyCode::kEnter));
  down(*panel, 1);
  panel->key(text_key("c"));
  type(*panel, "name it");
  const PanelAnswer added = panel->key(code(KeyCode::kEnter));
  const EditComment* const edit = find_effect<EditComment>(added.effects);
  ASSERT_NE(edit, nullptr);
  EXPECT_EQ(edit->kind, EditComment::Kind::kAdd);
  EXPECT_EQ(edit->path, "src/parser.cc");
  EXPECT_EQ(edit->quoted, "int a;");
  EXPECT_EQ(edit->text, "name it");
  WorktreeData data = sample_worktree();
  data.comments.push_back({"c4", "src/parser.cc", "new", "int a;", "name it", 1, false});
  panel->take(loaded("diff", CommentsData{data.comments}, "comment"));
  EXPECT_THAT(screen(*panel, 90, 16), HasSubstr("# name it"));
}

TEST(Diff, ChangesResolvesAndDeletesComments) {
  auto panel = diff();
  panel->key(text_key("n"));  // the resolved one comes first
  const PanelAnswer reopened = panel->key(text_key("x"));
  ASSERT_NE(find_effect<EditComment>(reopened.effects), nullptr);
  EXPECT_EQ(find_effect<EditComment>(reopened.effects)->kind, EditComment::Kind::kReopen);
  EXPECT_EQ(find_effect<EditComment>(reopened.effects)->id, "c2");
  panel->key(text_key("n"));
  const PanelAnswer resolved = panel->key(text_key("x"));
  EXPECT_EQ(find_effect<EditComment>(resolved.effects)->kind, EditComment::Kind::kResolve);
  panel->key(text_key("e"));
  type(*panel, "!");
  const PanelAnswer changed = panel->key(code(KeyCode::kEnter));
  ASSERT_NE(find_effect<EditComment>(changed.effects), nullptr);
  EXPECT_EQ(find_effect<EditComment>(changed.effects)->text, "why both?!");
  panel->key(text_key("d"));
  EXPECT_TRUE(panel->key(text_key("x")).effects.empty());
  panel->key(text_key("d"));
  const PanelAnswer removed = panel->key(text_key("y"));
  ASSERT_NE(find_effect<EditComment>(removed.effects), nullptr);
  EXPECT_EQ(find_effect<EditComment>(removed.effects)->kind, EditComment::Kind::kDelete);
}

TEST(Diff, SendsByTheTag) {
  auto panel = diff();
  const PanelAnswer sent = panel->key(text_key("s"));
  EXPECT_TRUE(sent.close);
  ASSERT_NE(find_effect<InsertText>(sent.effects), nullptr);
  EXPECT_EQ(find_effect<InsertText>(sent.effects)->text, "#diff-changes ");
}

TEST(Diff, StaysWhereItWasWhenItIsLoadedAgain) {
  auto panel = diff();
  down(*panel, 1);
  panel->take(loaded("diff", sample_worktree()));
  EXPECT_THAT(screen(*panel, 90, 16), HasSubstr("hello"));
  panel->take(failed("diff", "git diff failed", ""));
  EXPECT_THAT(screen(*panel, 90, 16), HasSubstr("hello"));
  EXPECT_THAT(screen(*panel, 90, 16), HasSubstr("git diff failed"));
}

TEST(Diff, TakesTurnsInANarrowWindow) {
  auto panel = diff();
  EXPECT_THAT(screen(*panel, 40, 12), Not(HasSubstr("why both?")));
  panel->key(code(KeyCode::kEnter));
  EXPECT_THAT(screen(*panel, 40, 12), HasSubstr("why both?"));
  expect_screens(*panel, "diff-lines");
}

TEST(Diff, KeepsNoCommentsWithoutASession) {
  PanelContext alone = context();
  alone.session_id.clear();
  auto panel = make_panel("diff", {}, alone);
  panel->take(loaded("diff", sample_worktree()));
  panel->key(code(KeyCode::kEnter));
  down(*panel, 1);
  panel->key(text_key("c"));
  EXPECT_THAT(screen(*panel, 90, 16), HasSubstr("this one is not kept"));
}

}  // namespace
}  // namespace magi::code::tui
