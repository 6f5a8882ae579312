#include "tools/magi-tool/ignore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <random>

#include "tests/unit/scratch.h"
#include "tools/magi-tool/walk.h"

namespace magi::toolbox {
namespace {

using test::Scratch;
using test::spill;

std::vector<std::string> walked(const std::string& root, const std::string& start = ".") {
  auto workspace = Workspace::open(root, {}, {});
  EXPECT_TRUE(workspace);
  std::vector<std::string> files;
  std::mutex mutex;
  WalkOptions options;
  options.hidden = true;
  options.threads = 3;
  Walk walk(*workspace, options, [] { return false; });
  EXPECT_TRUE(walk.run(*workspace->locate(start), [&](unsigned, const WalkEntry& entry) {
    const std::lock_guard lock(mutex);
    if (!entry.is_folder) files.emplace_back(entry.path);
    return Walk::Next::kGoOn;
  }));
  std::sort(files.begin(), files.end());
  return files;
}

void make(const std::string& path) {
  // A random name may be a file already where a folder is wanted; then the tree has one file less.
  std::error_code taken;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), taken);
  if (!taken && !std::filesystem::is_directory(path)) spill(path, "x");
}

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen(command.c_str(), "r");
  char buffer[4096];
  while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, got);
  ::pclose(pipe);
  return out;
}

// What git itself would list: neither tracked nor ignored.
std::vector<std::string> listed_by_git(const std::string& root) {
  std::vector<std::string> files = test::lines_of(output_of(
      "git -C '" + root + "' -c core.excludesFile=/dev/null -c core.quotePath=false ls-files -o --exclude-standard"));
  std::sort(files.begin(), files.end());
  return files;
}

bool have_git() { return std::system("git --version >/dev/null 2>&1") == 0; }

TEST(IgnoreRules, AgreeWithGitOnRandomRules) {
  if (!have_git()) GTEST_SKIP() << "no git";
  std::mt19937 random(20261130);
  const auto pick = [&](std::initializer_list<const char*> list) { return *(list.begin() + random() % list.size()); };
  for (int round = 0; round < 60; ++round) {
    Scratch scratch;
    ASSERT_EQ(std::system(("git -C '" + scratch.path() + "' init -q").c_str()), 0);
    for (int file = 0; file < 40; ++file) {
      std::string path = scratch / "";
      for (int depth = static_cast<int>(random() % 4); depth > 0; --depth)
        path += std::string(pick({"a", "b", "doc", "x.d", "a b"})) + '/';
      make(path + pick({"a", "b.txt", "f.log", "x.c", "doc", "#h", "!n", "t ", ".hid"}) + (random() % 3 ? "" : "1"));
    }
    std::string rules;
    for (const char* place : {"/.gitignore", "/a/.gitignore", "/a/b/.gitignore", "/.git/info/exclude"}) {
      std::string text;
      for (int line = static_cast<int>(random() % 5); line > 0; --line) {
        text += pick({"", "", "!", "\\!", "#"});
        text += pick({"", "", "/", "**/"});
        text += pick({"a",    "*.txt", "*",    "b",      "doc",      "f.log", "a/b",    "a/*", "x.?",   "[a-d]",
                      "a/**", "**/b",  "a b",  "**",     "a**",      "**a",   "a/**/b", "*/b", "[!a]*", "b.*",
                      "?",    "x\\.c", "doc/", "doc/*/", "doc/**/a", "\\#h",  "t\\ ",   "*1"});
        text += pick({"", "", "/", " ", "\r"});
        text += '\n';
      }
      const std::string path = scratch.path() + place;
      if (std::filesystem::exists(std::filesystem::path(path).parent_path()))
        spill(path, text), rules += std::string(place) + ":\n" + text;
    }
    EXPECT_EQ(walked(scratch.path()), listed_by_git(scratch.path())) << rules;
  }
}

TEST(IgnoreRules, OfTheRepositoryAboveCountToo) {
  Scratch scratch;
  std::filesystem::create_directories(scratch / ".git/info");
  spill(scratch / ".git/info/exclude", "secret\n");
  spill(scratch / ".gitignore", "/sub/top\n*.log\n");
  for (const char* file : {"sub/top", "sub/secret", "sub/a.log", "sub/kept", "sub/deep/top"}) make(scratch / file);
  EXPECT_EQ(walked(scratch / "sub"), (std::vector<std::string>{"deep/top", "kept"}));
  EXPECT_EQ(walked(scratch.path(), "sub"), (std::vector<std::string>{"deep/top", "kept"}));
}

TEST(IgnoreRules, LinkedWorktreesUseTheCommonExcludes) {
  if (!have_git()) GTEST_SKIP() << "no git";
  Scratch scratch;
  const std::string main = scratch / "main", linked = scratch / "linked";
  ASSERT_EQ(std::system(("git init -q '" + main + "' && git -C '" + main +
                         "' -c user.name=n -c user.email=e commit -q --allow-empty -m m && git -C '" + main +
                         "' worktree add -q '" + linked + "' && echo hidden >'" + main + "/.git/info/exclude'")
                            .c_str()),
            0);
  make(linked + "/hidden");
  make(linked + "/seen");
  EXPECT_EQ(walked(linked), std::vector<std::string>{"seen"});
}

TEST(IgnoreRules, NodeModulesAreLeftOutUnlessARuleBringsThemBack) {
  Scratch scratch;
  make(scratch / "node_modules/m/x");
  make(scratch / "a/node_modules/y");
  EXPECT_EQ(walked(scratch.path()), std::vector<std::string>());
  EXPECT_EQ(walked(scratch.path(), "node_modules/m"), std::vector<std::string>{"x"});
  spill(scratch / ".gitignore", "!/node_modules\n");
  EXPECT_EQ(walked(scratch.path()), (std::vector<std::string>{".gitignore", "node_modules/m/x"}));
}

TEST(Walk, SkipsVersionControlAndLinks) {
  Scratch scratch;
  make(scratch / ".git/config");
  make(scratch / "a/f");
  ASSERT_EQ(::symlink(".", (scratch / "loop").c_str()), 0);
  EXPECT_EQ(walked(scratch.path()), (std::vector<std::string>{"a/f", "loop"}));
}

}  // namespace
}  // namespace magi::toolbox
