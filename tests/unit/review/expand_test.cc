#include "tools/magi-code/review/expand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/scratch.h"
#include "tools/magi-code/review/anchor.h"
#include "tools/magi-code/review/comment_store.h"

namespace magi::code::review {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Tag, IsAWordOfItsOwn) {
  for (const char* text :
       {"#diff-changes", "do #diff-changes now", "(#diff-changes)", "x\n#diff-changes.", "\"#diff-changes\""})
    EXPECT_TRUE(holds_tag(text)) << text;
  for (const char* text : {"", "diff-changes", "#diff-changes2", "#diff-changes-x", "a#diff-changes", "##diff-changes",
                           "http://x/#diff-changes", "#diff-change"})
    EXPECT_FALSE(holds_tag(text)) << text;
}

class ExpandTest : public testing::Test {
 protected:
  ExpandTest() { std::filesystem::create_directories(root_); }

  void comment(const std::string& path, std::size_t line, const std::string& text) {
    const std::string content = test::slurp(root_ + '/' + path);
    Anchor anchor = anchor_of(split_lines(content), line - 1);
    anchor.root = root_;
    anchor.path = path;
    ASSERT_TRUE(store_.add(std::move(anchor), text));
  }
  Expansion expand(std::string_view text) const { return expand_tags(text, home_, "s1"); }

  test::Scratch scratch_;
  std::string root_ = scratch_ / "project";
  session::Home home_{scratch_ / "home"};
  CommentStore store_{home_, "s1"};
};

TEST_F(ExpandTest, SendsFileLineQuoteAndCommentOnce) {
  test::spill(root_ + "/b.cc", "one\ntwo\nthree\n");
  test::spill(root_ + "/a.cc", "alpha\nbeta\n");
  comment("b.cc", 2, "say it\nin words");
  comment("a.cc", 1, "rename");
  const Expansion expansion = expand("mend #diff-changes and #diff-changes");
  EXPECT_THAT(expansion.notices, IsEmpty());
  EXPECT_EQ(expansion.text,
            "mend #diff-changes and #diff-changes\n\n"
            "#diff-changes: 2 unresolved review comments on changes in the working tree\n"
            "\n1. a.cc:1\n   > alpha\n   rename\n"
            "\n2. b.cc:2\n   > two\n   say it\n   in words\n");
}

TEST_F(ExpandTest, FollowsLinesThatMovedAndSaysWhichAreLost) {
  test::spill(root_ + "/a.cc", "alpha\nbeta\ngamma\n");
  comment("a.cc", 2, "moved");
  comment("a.cc", 3, "gone");
  test::spill(root_ + "/a.cc", "new\nalpha\nbeta\ndelta\n");
  const Expansion expansion = expand("#diff-changes");
  EXPECT_THAT(expansion.text, HasSubstr("a.cc:3\n   > beta\n   moved"));
  EXPECT_THAT(expansion.text, HasSubstr("a.cc (was line 3; the line is gone)\n   > gamma\n   gone"));
  ASSERT_EQ(expansion.notices.size(), 1u);
  EXPECT_THAT(expansion.notices[0], HasSubstr("a.cc (was line 3; the line is gone)"));
}

TEST_F(ExpandTest, LeavesOutWhatIsResolved) {
  test::spill(root_ + "/a.cc", "alpha\nbeta\n");
  comment("a.cc", 1, "first");
  comment("a.cc", 2, "second");
  ASSERT_TRUE(store_.set_resolved("c1", true));
  EXPECT_THAT(expand("#diff-changes").text, Not(HasSubstr("first")));
  ASSERT_TRUE(store_.set_resolved("c2", true));
  const Expansion nothing = expand("#diff-changes");
  EXPECT_THAT(nothing.text, IsEmpty());
  ASSERT_EQ(nothing.notices.size(), 1u);
  EXPECT_THAT(nothing.notices[0], HasSubstr("no unresolved review comments"));
}

TEST_F(ExpandTest, ReportsWhatCannotBeRead) {
  ASSERT_EQ(expand_tags("#diff-changes", home_, "").notices.size(), 1u);
  test::spill(root_ + "/a.cc", "alpha\n");
  comment("a.cc", 1, "first");
  test::spill(home_.root() + "/sessions/s1.review.json", "{");
  const Expansion broken = expand("#diff-changes");
  EXPECT_THAT(broken.text, IsEmpty());
  ASSERT_EQ(broken.notices.size(), 1u);
  EXPECT_THAT(broken.notices[0], HasSubstr("cannot read the review comments"));
}

TEST_F(ExpandTest, NeverFollowsAnAnchorOutOfTheTree) {
  test::spill(scratch_ / "secret", "alpha\n");
  std::filesystem::create_symlink(scratch_ / "secret", root_ + "/link");
  for (const std::string path : {"../secret", "link", "/etc/passwd", "gone/deep"}) {
    Anchor anchor{root_, path, std::string(kNewSide), 1, "alpha", {}, {}};
    ASSERT_TRUE(store_.add(anchor, "x"));
  }
  const Expansion expansion = expand("#diff-changes");
  EXPECT_EQ(expansion.notices.size(), 4u);
  EXPECT_THAT(expansion.text, Not(HasSubstr("secret:1")));
  EXPECT_THAT(expansion.text, HasSubstr("the file is a link"));
}

TEST_F(ExpandTest, ReadsNothingWithoutTheTag) {
  test::spill(root_ + "/a.cc", "alpha\n");
  comment("a.cc", 1, "first");
  test::spill(home_.root() + "/sessions/s1.review.json", "{");
  const Expansion expansion = expand("diff-changes");
  EXPECT_THAT(expansion.text, IsEmpty());
  EXPECT_THAT(expansion.notices, IsEmpty());
}

TEST_F(ExpandTest, IsBounded) {
  test::spill(root_ + "/a.cc", "alpha\n");
  for (int i = 0; i < 40; ++i) comment("a.cc", 1, std::string(16000, 'x'));
  const Expansion expansion = expand("#diff-changes");
  EXPECT_LT(expansion.text.size(), 300'000u);
  ASSERT_EQ(expansion.notices.size(), 1u);
  EXPECT_THAT(expansion.notices[0], HasSubstr("did not fit"));
}

}  // namespace
}  // namespace magi::code::review
