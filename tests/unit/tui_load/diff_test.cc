#include <gmock/gmock.h>

#include "tests/unit/tui_load/load_support.h"
#include "tools/magi-code/tui/load/child_text.h"
#include "tools/magi-code/tui/load/diff_output.h"

namespace magi::code::tui {
namespace {

using magi::test::slurp;
using magi::test::spill;
using testing::HasSubstr;

class DiffLoadTest : public test::LoadTest {
 protected:
  const DiffFile* file(const WorktreeData& data, std::string_view path) const {
    for (const DiffFile& each : data.files)
      if (each.path == path) return &each;
    return nullptr;
  }
};

TEST_F(DiffLoadTest, IsNoErrorOfOursOutsideOfARepository) {
  source_.environment = config::Environment({environment_[0], "GIT_CEILING_DIRECTORIES=" + scratch_.path()});
  const Loaded loaded = load("diff");
  ASSERT_FALSE(loaded.data);
  EXPECT_THAT(loaded.data.error().what, HasSubstr("lies in no working tree"));
}

TEST_F(DiffLoadTest, ShowsWhatDiffersFromHeadAndWhatGitDoesNotKnow) {
  make_repository();
  spill(in_project("a.txt"), "one\ntwo\nthree\n");
  spill(in_project("gone.txt"), "x\n");
  spill(in_project("old name.txt"), "some\nlines\nthat\nstay\n");
  ASSERT_EQ(shell("printf 'build/\\n' > .gitignore; git add -A && git commit -qm one"), 0);
  spill(in_project("a.txt"), "one\n2\nthree\n");
  ASSERT_EQ(
      shell("rm gone.txt; git mv 'old name.txt' 'new\nname.txt'; mkdir build; echo x > build/x; printf 'a\\0b' > bin; "
            "printf 'new\\n' > 'caf\303\251.txt'; ln -s /etc/passwd link; git add bin"),
      0);
  const WorktreeData data = get<WorktreeData>("diff");
  ASSERT_NE(file(data, "a.txt"), nullptr);
  EXPECT_EQ(file(data, "a.txt")->status, "modified");
  EXPECT_EQ(file(data, "a.txt")->added, 1);
  EXPECT_EQ(file(data, "a.txt")->removed, 1);
  EXPECT_EQ(file(data, "a.txt")->patch, "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
  ASSERT_NE(file(data, "gone.txt"), nullptr);
  EXPECT_EQ(file(data, "gone.txt")->status, "deleted");
  ASSERT_NE(file(data, "new\nname.txt"), nullptr);
  EXPECT_EQ(file(data, "new\nname.txt")->old_path, "old name.txt");
  ASSERT_NE(file(data, "bin"), nullptr);
  EXPECT_TRUE(file(data, "bin")->binary);
  ASSERT_NE(file(data, "caf\xc3\xa9.txt"), nullptr);
  EXPECT_EQ(file(data, "caf\xc3\xa9.txt")->patch, "@@ -0,0 +1,1 @@\n+new\n");
  ASSERT_NE(file(data, "link"), nullptr);
  EXPECT_EQ(file(data, "link")->note, "no regular file");
  EXPECT_EQ(file(data, "build/x"), nullptr);
  EXPECT_EQ(data.files.size(), 6u);
}

TEST_F(DiffLoadTest, ComparesWithNothingBeforeTheFirstCommit) {
  make_repository();
  spill(in_project("a.txt"), "one\n");
  ASSERT_EQ(shell("git add a.txt"), 0);
  const WorktreeData data = get<WorktreeData>("diff");
  ASSERT_NE(file(data, "a.txt"), nullptr);
  EXPECT_EQ(file(data, "a.txt")->status, "added");
}

// Whatever a repository configures, looking at it runs nothing of it and changes nothing in it.
TEST_F(DiffLoadTest, RunsNothingThatTheRepositoryBrings) {
  make_repository();
  spill(in_project("a.txt"), "one\n");
  spill(in_project("b.bin"), "one\n");
  spill(in_project(".gitattributes"), "*.txt filter=evil diff=evil\n*.bin diff=evil2\n");
  ASSERT_EQ(shell("git add -A && git commit -qm one"), 0);
  const std::string mark = scratch_ / "mark";
  const std::string evil = "touch " + mark + "; cat";
  spill(scratch_ / "evil.sh", "#!/bin/sh\ntouch " + mark + "\ncat \"$@\" 2>/dev/null\n", 0700);
  const std::string script = scratch_ / "evil.sh";
  ASSERT_EQ(shell("git config filter.evil.clean '" + evil + "' && git config filter.evil.process '" + script +
                  "' && git config filter.evil.required true && git config diff.evil.command '" + script +
                  "' && git config diff.evil2.textconv '" + script + "' && git config diff.external '" + script +
                  "' && git config core.fsmonitor '" + script + "' && git config core.pager '" + script +
                  "' && git config pager.diff '" + script + "' && mkdir -p hooks && cp '" + script +
                  "' hooks/post-index-change && git config core.hooksPath hooks && git config diff.noprefix true && "
                  "git config diff.mnemonicPrefix true && git config color.ui always && git config diff.relative true"),
            0);
  spill(in_project("a.txt"), "two\n");
  spill(in_project("b.bin"), "two\n");
  source_.child_environment.push_back("GIT_EXTERNAL_DIFF=" + script);
  source_.child_environment.push_back("GIT_DIR=" + (scratch_ / "elsewhere"));
  const std::string index = slurp(in_project(".git/index"));
  std::filesystem::remove(mark);
  const WorktreeData data = get<WorktreeData>("diff");
  EXPECT_FALSE(std::filesystem::exists(mark));
  EXPECT_EQ(slurp(in_project(".git/index")), index);
  ASSERT_NE(file(data, "a.txt"), nullptr);
  EXPECT_EQ(file(data, "a.txt")->patch, "@@ -1 +1 @@\n-one\n+two\n");
  ASSERT_NE(file(data, "b.bin"), nullptr);
  EXPECT_EQ(file(data, "b.bin")->patch, "@@ -1 +1 @@\n-one\n+two\n");
}

TEST_F(DiffLoadTest, CommentsAreKeptMovedChangedAndRemoved) {
  make_repository();
  spill(in_project("a.txt"), "one\ntwo\nthree\n");
  ASSERT_EQ(shell("git add -A && git commit -qm one"), 0);
  spill(in_project("a.txt"), "one\n2\nthree\n");
  EditComment edit;
  edit.path = "a.txt";
  edit.side = "new";
  edit.line = 2;
  edit.quoted = "2";
  edit.before = {"one"};
  edit.after = {"three"};
  edit.text = "in words";
  CommentsData comments = data_of<CommentsData>(carry_out(source_, edit));
  ASSERT_EQ(comments.comments.size(), 1u);
  EXPECT_EQ(comments.comments[0].line, 2);
  spill(in_project("a.txt"), "zero\none\n2\nthree\n");
  EXPECT_EQ(get<WorktreeData>("diff").comments.at(0).line, 3);
  edit.kind = EditComment::Kind::kResolve;
  edit.id = comments.comments[0].id;
  EXPECT_TRUE(data_of<CommentsData>(carry_out(source_, edit)).comments.at(0).resolved);
  edit.kind = EditComment::Kind::kDelete;
  EXPECT_TRUE(data_of<CommentsData>(carry_out(source_, edit)).comments.empty());
  EXPECT_FALSE(carry_out(source_, edit).data);
  source_.session_id.clear();
  EXPECT_FALSE(carry_out(source_, edit).data);
  EXPECT_TRUE(get<WorktreeData>("diff").comments.empty());
}

TEST(DiffOutput, SurvivesWhatIsNone) {
  const std::vector<std::string> broken = {
      "", ":", ":x", "diff --git a/x b/x\n", std::string(":1 2 3 4 M\0", 11), std::string("\0\0\0", 3)};
  for (const std::string& text : broken) EXPECT_NO_FATAL_FAILURE((void)parse_diff_output(text, false));
  const std::string whole = std::string(":100644 100644 1 2 M\0a\0\0diff --git a/a b/a\n@@ -1 +1 @@\n-x\n+y\n", 61);
  for (std::size_t size = 0; size <= whole.size(); ++size) (void)parse_diff_output(whole.substr(0, size), true);
  ASSERT_EQ(parse_diff_output(whole, false).size(), 1u);
}

TEST(ChildText, IsBoundInBytesAndTime) {
  os::SpawnOptions options;
  options.program = "/bin/sh";
  options.args = {"-c", "while :; do echo 0123456789; done"};
  const auto cut = text_of_child(options, 1000, 20'000);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->cut);
  EXPECT_EQ(cut->text.size(), 1000u);
  options.args = {"-c", "sleep 1000 & sleep 1000"};
  const auto slow = text_of_child(options, 1000, 50);
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code, ErrorCode::kLimit);
  options.args = {"-c", "echo out; exit 3"};
  const auto ended = text_of_child(options, 1000, 20'000);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->text, "out\n");
  EXPECT_EQ(ended->status, 3);
}

}  // namespace
}  // namespace magi::code::tui
