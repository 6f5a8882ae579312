#include "tools/magi-code/review/comment_store.h"

#include <gtest/gtest.h>

#include "libcommon/session/removal.h"
#include "tests/unit/scratch.h"

namespace magi::code::review {
namespace {

std::int64_t noon() { return 1'790'000'000'000; }

class CommentStoreTest : public testing::Test {
 protected:
  Anchor anchor(std::int64_t line) const {
    return {"/project", "src/a.cc", std::string(kNewSide), line, "int x;", {"{"}, {"}"}};
  }
  std::string file() const { return home_.root() + "/sessions/s1.review.json"; }
  std::vector<Comment> all() const {
    auto comments = store_.read();
    EXPECT_TRUE(comments) << comments.error().what;
    return comments ? *std::move(comments) : std::vector<Comment>();
  }

  test::Scratch scratch_;
  session::Home home_{scratch_ / "home"};
  CommentStore store_{home_, "s1", &noon};
};

TEST_F(CommentStoreTest, IsEmptyWithoutAHome) { EXPECT_TRUE(all().empty()); }

TEST_F(CommentStoreTest, KeepsWhatIsAddedChangedResolvedAndRemoved) {
  ASSERT_TRUE(store_.add(anchor(3), "why?"));
  ASSERT_TRUE(store_.add(anchor(9), "rename\nthis"));
  EXPECT_EQ(test::mode_of(file()), 0600u);
  ASSERT_TRUE(store_.change("c1", "why twice?"));
  ASSERT_TRUE(store_.set_resolved("c2", true));
  ASSERT_EQ(all().size(), 2u);
  EXPECT_EQ(all()[0].text, "why twice?");
  EXPECT_EQ(all()[0].anchor, anchor(3));
  EXPECT_FALSE(all()[0].is_resolved());
  EXPECT_EQ(all()[1].resolved_at, format_rfc3339(noon()));
  ASSERT_TRUE(store_.set_resolved("c2", false));
  EXPECT_FALSE(all()[1].is_resolved());
  ASSERT_TRUE(store_.remove("c1"));
  ASSERT_EQ(all().size(), 1u);
  // An ID is not given again while a later one stands.
  EXPECT_EQ(store_.add(anchor(1), "more")->id, "c3");
}

TEST_F(CommentStoreTest, RefusesWhatCannotBeAComment) {
  EXPECT_EQ(store_.add(anchor(1), " \n").error().code, ErrorCode::kUsage);
  EXPECT_EQ(store_.add(anchor(1), std::string(kMostTextBytes + 1, 'x')).error().code, ErrorCode::kLimit);
  EXPECT_EQ(store_.change("c7", "x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(CommentStore(home_, "../x").add(anchor(1), "x").error().code, ErrorCode::kUsage);
  EXPECT_TRUE(all().empty());
}

TEST_F(CommentStoreTest, NeverWritesOverWhatItCannotRead) {
  ASSERT_TRUE(store_.add(anchor(1), "x"));
  for (const std::string broken : {"{", "[]", R"({"schema":2,"comments":[]})", R"({"schema":1,"comments":[{}]})"}) {
    test::spill(file(), broken);
    EXPECT_EQ(store_.read().error().code, ErrorCode::kBadRecord) << broken;
    EXPECT_FALSE(store_.add(anchor(1), "y"));
    EXPECT_EQ(test::slurp(file()), broken);
  }
}

TEST_F(CommentStoreTest, TrustsNoFileOfOthers) {
  ASSERT_TRUE(store_.add(anchor(1), "x"));
  ::chmod(file().c_str(), 0644);
  EXPECT_EQ(store_.read().error().code, ErrorCode::kUnsafe);
}

TEST_F(CommentStoreTest, GoesWithItsSession) {
  ASSERT_TRUE(store_.add(anchor(1), "x"));
  test::spill(home_.session("s1"), "");
  const auto sessions = session::open_sessions(home_, session::Family::kPrimary, os::IfMissing::kFail);
  ASSERT_TRUE(sessions);
  session::FailureCounts failures;
  ASSERT_TRUE(session::remove_session(
      *sessions, "s1", [](int) { return Result<bool>(true); }, failures));
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_TRUE(failures.empty());
}

}  // namespace
}  // namespace magi::code::review
