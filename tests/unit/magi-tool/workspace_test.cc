#include "tools/magi-tool/workspace.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "tests/unit/scratch.h"
#include "tools/magi-tool/beneath.h"

namespace magi::toolbox {
namespace {

using test::Scratch;
using test::spill;

// A tree with every way out that a path can try.
struct Tree {
  Scratch scratch;
  std::string root = scratch / "root", outside = scratch / "outside";
  Tree() {
    std::filesystem::create_directories(root + "/a/b");
    std::filesystem::create_directories(outside + "/d");
    spill(root + "/a/b/file", "in");
    spill(outside + "/file", "out");
    spill(outside + "/d/file", "out");
    link("a", "inner");
    link("../a/b", "a/relative");
    link(root + "/a", "absolute");
    link(outside, "out");
    link("../outside", "up");
    link("../outside/file", "file_link");
    link("/proc/self/root", "proc");
    link("loop", "loop");
    link("../../root/a", "a/through");
    link("nowhere", "dangling");
    link("../outside/none", "dangling_out");
  }
  void link(const std::string& target, const std::string& name) const {
    ASSERT_EQ(::symlink(target.c_str(), (root + '/' + name).c_str()), 0);
  }
};

TEST(OpenBeneath, FollowsWhatStaysInsideAndNothingElse) {
  const Tree tree;
  const os::Fd root(::open(tree.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const auto open : {&open_beneath, &walk_beneath}) {
    for (const char* path :
         {"a/b/file", "inner/b/file", "a/relative/file", "a/../a/b/file", "./a//b/./file", ".", "a/.."})
      EXPECT_TRUE(open(root.get(), path, O_RDONLY, 0, Links::kFollow)) << path;
    for (const char* path :
         {"..", "../outside/file", "a/../../outside/file", "out/file", "up/file", "file_link", "absolute/b/file",
          "/etc/passwd", "proc/etc/passwd", "a/through/b/file", "loop", "dangling_out"})
      EXPECT_FALSE(open(root.get(), path, O_RDONLY, 0, Links::kFollow)) << path;
    for (const char* path : {"inner/b/file", "a/relative/file"})
      EXPECT_FALSE(open(root.get(), path, O_RDONLY, 0, Links::kRefuse)) << path;
    EXPECT_TRUE(open(root.get(), "a/new", O_WRONLY | O_CREAT | O_EXCL, 0600, Links::kFollow));
    std::filesystem::remove(tree.root + "/a/new");
    EXPECT_FALSE(open(root.get(), "out/new", O_WRONLY | O_CREAT, 0600, Links::kFollow));
    errno = 0;
    EXPECT_FALSE(open(root.get(), "none", O_RDONLY, 0, Links::kFollow));
    EXPECT_EQ(errno, ENOENT);
  }
  EXPECT_FALSE(std::filesystem::exists(tree.outside + "/new"));
}

TEST(Workspace, PlacesPathsByFolder) {
  const Tree tree;
  auto workspace = Workspace::open(tree.root, {tree.outside + "/d"}, {});
  ASSERT_TRUE(workspace);
  EXPECT_EQ(workspace->locate("a/b")->shown, "a/b");
  EXPECT_EQ(workspace->locate("./a/../a//b/")->shown, "a/b");
  EXPECT_EQ(workspace->locate(tree.root + "/a")->shown, "a");
  EXPECT_EQ(workspace->locate(".")->shown, ".");
  EXPECT_EQ(workspace->locate("../outside/d/file")->shown, workspace->folders()[1] + "/file");
  EXPECT_FALSE(workspace->locate("../outside/d/file")->outside);
  EXPECT_TRUE(workspace->locate("../outside/file")->outside);
  EXPECT_TRUE(workspace->locate(tree.root + "x")->outside);
  EXPECT_FALSE(workspace->locate(""));
  EXPECT_FALSE(workspace->locate(std::string_view("a\0b", 3)));
}

TEST(Workspace, LinksOutAreUnsafeAndLinksInsideAreNot) {
  const Tree tree;
  auto workspace = Workspace::open(tree.root, {}, {});
  ASSERT_TRUE(workspace);
  for (const char* path : {"absolute/b/file", "a/through/b/file", "inner/b/file"})
    EXPECT_TRUE(open_regular(*workspace, *workspace->locate(path))) << path;
  for (const char* path : {"out/file", "up/file", "file_link", "out/d/file"}) {
    const auto opened = open_regular(*workspace, *workspace->locate(path));
    ASSERT_FALSE(opened) << path;
    EXPECT_EQ(opened.error().code, ErrorCode::kUnsafe) << opened.error().what;
  }
}

TEST(Workspace, ASlotOutsideThroughALinkIsRefused) {
  const Tree tree;
  auto workspace = Workspace::open(tree.root, {}, {});
  std::vector<std::string> made;
  for (const char* path : {"out/new", "out/file", "up/x/y", "file_link", "dangling_out"})
    EXPECT_FALSE(workspace->slot(*workspace->locate(path), true, made)) << path;
  EXPECT_TRUE(made.empty());
  const auto slot = workspace->slot(*workspace->locate("n/e/w"), true, made);
  ASSERT_TRUE(slot);
  EXPECT_EQ(slot->name, "w");
  EXPECT_EQ(made, (std::vector<std::string>{"n/", "n/e/"}));
  const auto through = workspace->slot(*workspace->locate("inner/b/file"), false, made);
  ASSERT_TRUE(through);
  EXPECT_EQ(Workspace::path_of(through->folder.get()), workspace->root() + "/a/b");
}

TEST(Workspace, ALinkToAnAddedFolderIsInside) {
  const Tree tree;
  auto workspace = Workspace::open(tree.root, {tree.outside}, {});
  EXPECT_TRUE(open_regular(*workspace, *workspace->locate("out/file")));
}

TEST(Workspace, HiddenFilesAreDenied) {
  const Tree tree;
  auto workspace = Workspace::open(tree.scratch.path(), {}, {tree.outside + "/file", tree.outside + "/later"});
  ASSERT_TRUE(workspace);
  EXPECT_TRUE(workspace->hides_inside());
  for (const char* path : {"outside/file", "root/file_link"}) {
    const auto opened = open_regular(*workspace, *workspace->locate(path));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kDenied);
  }
  EXPECT_TRUE(open_regular(*workspace, *workspace->locate("outside/d/file")));
  std::vector<std::string> made;
  EXPECT_FALSE(workspace->slot(*workspace->locate("outside/later"), true, made));
}

TEST(Workspace, ARootThatIsGoneIsSaidAndFoundAgain) {
  const Tree tree;
  auto workspace = Workspace::open(tree.root, {}, {});
  std::filesystem::rename(tree.root, tree.root + "-moved");
  EXPECT_FALSE(workspace->refresh());
  std::filesystem::create_directories(tree.root);
  spill(tree.root + "/fresh", "x");
  ASSERT_TRUE(workspace->refresh());
  EXPECT_TRUE(open_regular(*workspace, *workspace->locate("fresh")));
}

TEST(Workspace, AParentThatBecomesALinkIsNotFollowedOut) {
  const Tree tree;
  auto workspace = Workspace::open(tree.root, {}, {});
  const auto place = workspace->locate("a/b/file");
  std::filesystem::rename(tree.root + "/a/b", tree.root + "/a/old");
  tree.link(tree.outside, "a/b");
  const auto opened = open_regular(*workspace, *place);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnsafe);
}

}  // namespace
}  // namespace magi::toolbox
