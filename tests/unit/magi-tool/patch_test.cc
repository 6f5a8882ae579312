#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tests/unit/scratch.h"
#include "tools/magi-tool/near_miss.h"
#include "tools/magi-tool/patch_text.h"

namespace magi::toolbox {
namespace {

std::string patched(std::string_view content, const std::string& patch) {
  const auto files = parse_patch(patch);
  if (!files) return "error: " + files.error().what;
  const auto done = apply_hunks(content, files->front().hunks);
  return done ? *done : "error: " + done.error().what;
}
std::string hunk(const std::string& body) { return "--- a/f\n+++ b/f\n" + body; }
std::string update(const std::string& body) {
  return "*** Begin Patch\n*** Update File: f\n" + body + "*** End Patch\n";
}

TEST(ParsePatch, KnowsBothForms) {
  const std::string git =
      "From: someone\n\ndiff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
      "diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+new\n"
      "diff --git a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
      "diff --git a/r1 b/r2\nsimilarity index 100%\nrename from r1\nrename to r2\n"
      "diff --git a/m b/m\nold mode 100644\nnew mode 100755\n-- \n2.39\n";
  const auto files = parse_patch(git);
  ASSERT_TRUE(files) << files.error().what;
  ASSERT_EQ(files->size(), 5u);
  using Kind = FilePatch::Kind;
  const auto is = [&](std::size_t at, Kind kind, const std::string& path, const std::string& new_path = "") {
    return (*files)[at].kind == kind && (*files)[at].path == path && (*files)[at].new_path == new_path;
  };
  EXPECT_TRUE(is(0, Kind::kChange, "x"));
  EXPECT_TRUE(is(1, Kind::kCreate, "n"));
  EXPECT_EQ((*files)[1].mode, std::optional<mode_t>(0755));
  EXPECT_TRUE(is(2, Kind::kRemove, "d"));
  EXPECT_TRUE(is(3, Kind::kChange, "r1", "r2"));
  EXPECT_TRUE(is(4, Kind::kChange, "m"));
  EXPECT_EQ((*files)[4].mode, std::optional<mode_t>(0755));

  const auto other = parse_patch(
      "*** Begin Patch\n*** Add File: n\n+new\n*** Delete File: d\n*** Update File: u\n*** Move to: v\n@@ f()\n "
      "a\n-b\n+c\n*** End Patch");
  ASSERT_TRUE(other) << other.error().what;
  ASSERT_EQ(other->size(), 3u);
  EXPECT_EQ((*other)[0].kind, Kind::kCreate);
  EXPECT_EQ((*other)[1].kind, Kind::kRemove);
  EXPECT_EQ((*other)[2].new_path, "v");
  EXPECT_EQ((*other)[2].hunks.front().heading, "f()");
}

TEST(ParsePatch, ReadsNamesAsGitWritesThem) {
  EXPECT_EQ(parse_patch("--- \"a/\\303\\251 \\\"x\\\"\"\n+++ \"b/\\303\\251 \\\"x\\\"\"\n@@ -1 +1 @@\n-a\n+b\n")
                ->front()
                .path,
            "é \"x\"");
  EXPECT_EQ(parse_patch("--- src/f\t2026-01-01\n+++ src/f\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n")->front().path, "src/f");
}

TEST(ParsePatch, SaysWhichLineIsWrong) {
  for (const auto& [patch, what] :
       {std::pair("", "no patch"), std::pair("@@ -1 +1 @@\n-a\n", "line 1 of the patch"),
        std::pair("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-a\nx\n", "line 5 of the patch"),
        std::pair("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n\ntext\n+lost\n", "line 8 of the patch"),
        std::pair("*** Update File: f\n*** End Patch\n", "has no hunk"),
        std::pair("Binary files a/x and b/x differ\n", "no patch"),
        std::pair("diff --git a/x b/x\nBinary files a/x and b/x differ\n", "binary")}) {
    const auto files = parse_patch(patch);
    ASSERT_FALSE(files) << patch;
    EXPECT_NE(files.error().what.find(what), std::string::npos) << files.error().what;
  }
}

TEST(ApplyHunks, FindsTheLinesWhereTheyAre) {
  const std::string text = "1\n2\n3\n4\n5\n";
  EXPECT_EQ(patched(text, hunk("@@ -2,2 +2,2 @@\n 2\n-3\n+three\n")), "1\n2\nthree\n4\n5\n");
  EXPECT_EQ(patched(text, hunk("@@ -40,9 +1 @@\n 2\n-3\n+three\n")), "1\n2\nthree\n4\n5\n") << "wrong numbers";
  EXPECT_EQ(patched(text, hunk("@@ -1,0 +2 @@\n+1b\n")), "1\n1b\n2\n3\n4\n5\n");
  EXPECT_EQ(patched(text, update("@@\n-3\n+three\n")), "1\n2\nthree\n4\n5\n");
  EXPECT_EQ(patched("a\nx\nb\nx\n", update("@@ b\n-x\n+y\n")), "a\nx\nb\ny\n");
  EXPECT_EQ(patched("a\n\n\nb\n", hunk("@@ -1,4 +1,4 @@\n a\n\n\n-b\n+c\n")), "a\n\n\nc\n") << "blanks cut off";
  EXPECT_NE(patched("x\ny\nx\n", update("@@\n-x\n+z\n")).find("at lines 1 and 3"), std::string::npos);
  EXPECT_NE(
      patched(text, update("@@\n 2\n-three\n+3\n")).find("hunk 1 (line 3 of the patch): its lines were not found"),
      std::string::npos);
}

TEST(ApplyHunks, KeepsLineEnds) {
  EXPECT_EQ(patched("a\r\nb\r\n", hunk("@@ -2 +2 @@\n-b\n+c\n+d\n")), "a\r\nc\r\nd\r\n");
  EXPECT_EQ(patched("a\nb", hunk("@@ -1,2 +1,2 @@\n a\n-b\n+c\n")), "a\nc") << "no final line end stays none";
  EXPECT_EQ(patched("a\nb", hunk("@@ -2 +2,2 @@\n b\n+c\n")), "a\nb\nc");
  EXPECT_EQ(patched("a\nb", hunk("@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n")), "a\nb\n");
  EXPECT_EQ(patched("a\nb\n", hunk("@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n")), "a\nb");
  EXPECT_EQ(patched("a\nb", hunk("@@ -1 +1 @@\n-a\n+c\n")), "c\nb");
  EXPECT_EQ(patched("a\n", hunk("@@ -1 +0,0 @@\n-a\n")), "");
}

// What diff says of two random files turns one into the other.
TEST(ApplyHunks, AgreesWithDiff) {
  if (std::system("diff --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no diff";
  std::mt19937 random(20261202);
  const test::Scratch scratch;
  for (int round = 0; round < 60; ++round) {
    const auto text = [&] {
      std::string out;
      for (std::size_t lines = random() % 30; lines > 0; --lines)
        out += std::string(1 + random() % 2, static_cast<char>('a' + random() % 4)) + '\n';
      if (!out.empty() && random() % 4 == 0) out.pop_back();
      return out;
    };
    const std::string before = text(), after = text();
    test::spill(scratch / "a", before);
    test::spill(scratch / "b", after);
    const std::string context = random() % 2 ? "-U1" : "-u";
    (void)std::system(
        ("diff " + context + " " + (scratch / "a") + " " + (scratch / "b") + " >" + (scratch / "d")).c_str());
    const std::string difference = test::slurp(scratch / "d");
    if (difference.empty()) continue;
    EXPECT_EQ(patched(before, difference), after) << difference;
  }
}

TEST(NearMiss, ShowsWhereAndHow) {
  const std::string text = "int f() {\n  int x = 1;\n  return x;\n}\n\nint g() {\n  return 2;\n}\n";
  const std::string why = near_miss(text, "int f() {\n  int x = 2;\n  return x;\n}\n");
  EXPECT_EQ(why,
            "The nearest candidate is lines 1-4, where 3 of 4 lines agree:\n 1\tint f() {\n-\t  int x = 2;\n"
            "+2\t  int x = 1;\n 3\t  return x;\n 4\t}");
  EXPECT_NE(near_miss(text, "int g() {\n return 2;\n}\n").find("Lines 6-8 differ from it in white space only"),
            std::string::npos);
  EXPECT_NE(near_miss(text, "  return 3;\n").find("like its first one is line"), std::string::npos);
  EXPECT_NE(near_miss(text, "1\tint f() {").find("line numbers"), std::string::npos);
}

}  // namespace
}  // namespace magi::toolbox
