#include "tools/magi-tool/publish.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/xattr.h>

#include "libcommon/os/disk.h"
#include "tests/unit/scratch.h"

namespace magi::toolbox {
namespace {

using test::Scratch;
using test::slurp;
using test::spill;

struct Folder {
  Scratch scratch;
  Workspace workspace = *Workspace::open(scratch.path(), {}, {});
  Workspace::Slot slot(const std::string& name) {
    std::vector<std::string> made;
    return *workspace.slot(*workspace.locate(name), false, made);
  }
  FileBytes read(const std::string& name) {
    const os::Fd fd = *open_regular(workspace, *workspace.locate(name));
    return *read_whole(fd.get(), name);
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
      all.push_back(entry.path().filename());
    return all;
  }
};

TEST(Publish, CreatesAndReplaces) {
  Folder folder;
  ASSERT_TRUE(publish(folder.slot("f"), {"one"}, nullptr, "f"));
  EXPECT_EQ(slurp(folder.scratch / "f"), "one");
  const FileBytes old = folder.read("f");
  const auto stamp = publish(folder.slot("f"), {"two"}, &old, "f");
  ASSERT_TRUE(stamp);
  EXPECT_EQ(slurp(folder.scratch / "f"), "two");
  EXPECT_EQ(folder.read("f").stamp(), stamp_of(*stamp));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
}

TEST(Publish, KeepsModeAndAttributes) {
  Folder folder;
  spill(folder.scratch / "f", "x", 0751);
  const bool attributes = ::setxattr((folder.scratch / "f").c_str(), "user.note", "n", 1, 0) == 0;
  const FileBytes old = folder.read("f");
  ASSERT_TRUE(publish(folder.slot("f"), {"y"}, &old, "f"));
  EXPECT_EQ(test::mode_of(folder.scratch / "f"), 0751u);
  if (attributes) {
    char value = 0;
    EXPECT_EQ(::getxattr((folder.scratch / "f").c_str(), "user.note", &value, 1), 1);
    EXPECT_EQ(value, 'n');
  }
}

TEST(Publish, ReadOnlyFilesStay) {
  Folder folder;
  spill(folder.scratch / "f", "x", 0400);
  const FileBytes old = folder.read("f");
  const auto done = publish(folder.slot("f"), {"y"}, &old, "f");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kDenied);
  EXPECT_EQ(slurp(folder.scratch / "f"), "x");
}

TEST(Publish, HardLinksStayOne) {
  Folder folder;
  spill(folder.scratch / "f", "long content");
  std::filesystem::create_hard_link(folder.scratch / "f", folder.scratch / "g");
  const FileBytes old = folder.read("f");
  ASSERT_TRUE(publish(folder.slot("f"), {"short"}, &old, "f"));
  EXPECT_EQ(slurp(folder.scratch / "g"), "short");
}

// FIL-12: what lands between the read and the publication survives.
TEST(Publish, AChangeMeanwhileIsAConflict) {
  for (const char* how : {"append", "replace", "remove", "touch"}) {
    Folder folder;
    const std::string path = folder.scratch / "f";
    spill(path, "old");
    const FileBytes old = folder.read("f");
    const std::string change = how;
    if (change == "append") std::ofstream(path, std::ios::app) << "theirs";
    if (change == "replace") spill(path + "2", "theirs"), std::filesystem::rename(path + "2", path);
    if (change == "remove") std::filesystem::remove(path);
    if (change == "touch")
      std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    const std::string theirs = slurp(path);
    const auto done = publish(folder.slot("f"), {"mine"}, &old, "f");
    ASSERT_FALSE(done) << how;
    EXPECT_EQ(done.error().code, ErrorCode::kBusy) << done.error().what;
    EXPECT_EQ(slurp(path), theirs) << how;
    EXPECT_LE(folder.names().size(), 1u) << how;
  }
}

TEST(Publish, AFileThatAppearsMeanwhileIsAConflict) {
  Folder folder;
  const auto slot = folder.slot("f");
  spill(folder.scratch / "f", "theirs");
  const auto done = publish(slot, {"mine"}, nullptr, "f");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kBusy);
  EXPECT_EQ(slurp(folder.scratch / "f"), "theirs");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
}

std::string late_path;

// The last look before the exchange has passed: only the exchange itself can tell.
TEST(Publish, AChangeAfterTheLastCheckIsAConflictToo) {
  Folder folder;
  late_path = folder.scratch / "f";
  spill(late_path, "old");
  const FileBytes old = folder.read("f");
  os::Disk table = os::real_disk();
  table.linkat = [](int from_dir, const char* from, int to_dir, const char* to, int flags) {
    spill(late_path, "theirs!");
    return os::real_disk().linkat(from_dir, from, to_dir, to, flags);
  };
  const os::ScopedDisk scoped(table);
  const auto done = publish(folder.slot("f"), {"mine"}, &old, "f");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kBusy);
  EXPECT_EQ(slurp(late_path), "theirs!");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
}

int calls_left = 0;
template <class Call, class... Args>
auto failing(Call call, Args... args) -> decltype(call(args...)) {
  if (calls_left-- > 0) return call(args...);
  errno = ENOSPC;
  return -1;
}

TEST(Publish, AFailureAtAnyCallLeavesTheOldContentAndNoDraft) {
  int failures = 0;
  for (int allowed = 0;; ++allowed) {
    Folder folder;
    spill(folder.scratch / "f", "old");
    const FileBytes old = folder.read("f");
    const auto slot = folder.slot("f");
    calls_left = allowed;
    os::Disk table = os::real_disk();
    table.pwrite = [](int fd, const void* bytes, std::size_t size, off_t at) {
      return failing(os::real_disk().pwrite, fd, bytes, size, at);
    };
    table.fdatasync = [](int fd) { return failing(os::real_disk().fdatasync, fd); };
    table.linkat = [](int a, const char* b, int c, const char* d, int e) {
      return failing(os::real_disk().linkat, a, b, c, d, e);
    };
    table.fstat = [](int fd, struct stat* out) { return failing(os::real_disk().fstat, fd, out); };
    Result<struct stat> done = make_error(ErrorCode::kInternal, "");
    {
      const os::ScopedDisk scoped(table);
      done = publish(slot, {"new"}, &old, "f");
    }
    const std::string content = slurp(folder.scratch / "f");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
    if (done) {
      EXPECT_EQ(content, "new");
      break;
    }
    ++failures;
    EXPECT_TRUE(content == "old" || content == "new");
  }
  EXPECT_GE(failures, 4);
}

TEST(Publish, ALeftDraftIsRemoved) {
  Folder folder;
  spill(folder.scratch / "f", "old");
  FileBytes old = folder.read("f");
  // What a process that was killed between naming its draft and exchanging it leaves.
  os::Disk table = os::real_disk();
  table.unlinkat = [](int, const char*, int) { return 0; };
  {
    const os::ScopedDisk scoped(table);
    ASSERT_TRUE(publish(folder.slot("f"), {"new"}, &old, "f"));
  }
  EXPECT_EQ(folder.names().size(), 2u);
  old = folder.read("f");
  ASSERT_TRUE(publish(folder.slot("f"), {"newer"}, &old, "f"));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
  EXPECT_EQ(slurp(folder.scratch / "f"), "newer");
}

}  // namespace
}  // namespace magi::toolbox
