#include "tools/magi-tool/private_tmp.h"

#include <gtest/gtest.h>

#include "tests/unit/scratch.h"

namespace magi::toolbox {
namespace {

using test::Scratch;

TEST(PrivateTmp, IsPrivateAndGoesWithItsOwner) {
  const Scratch scratch;
  std::string path;
  {
    const PrivateTmp tmp = PrivateTmp::create({scratch.path()});
    path = tmp.path();
    EXPECT_EQ(test::mode_of(path), 0700u);
    std::filesystem::create_directories(path + "/a/b");
    test::spill(path + "/a/b/f", "x");
    ::symlink(scratch.path().c_str(), (path + "/a/up").c_str());
    ::chmod((path + "/a/b").c_str(), 0500);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::exists(scratch.path()));
}

TEST(PrivateTmp, FallsBackAndDoesWithout) {
  const Scratch scratch;
  EXPECT_TRUE(PrivateTmp::create({"/no/such/folder", "relative", scratch.path()}).path().starts_with(scratch.path()));
  EXPECT_EQ(PrivateTmp::create({"/no/such/folder"}).path(), "");
}

TEST(PrivateTmp, RemovesWhatTheDeadLeftButNotWhatIsInUse) {
  const Scratch scratch;
  const std::string left = scratch / ("magi-tool-" + std::to_string(::geteuid()) + "-left");
  std::filesystem::create_directories(left + "/x");
  std::filesystem::create_directories(scratch / "magi-tool-other");
  const PrivateTmp first = PrivateTmp::create({scratch.path()});
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(scratch / "magi-tool-other"));
  const PrivateTmp second = PrivateTmp::create({scratch.path()});
  EXPECT_TRUE(std::filesystem::exists(first.path()));
}

}  // namespace
}  // namespace magi::toolbox
