// Every file tool, again and again, while another thread swaps folders and files on the way for links that lead
// outside: nothing from there is read, and nothing there is written.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <atomic>
#include <thread>

#include "libcommon/json/writer.h"
#include "tests/unit/scratch.h"
#include "tools/magi-tool/serve.h"

namespace magi::toolbox {
namespace {

using test::slurp;
using test::spill;

constexpr std::string_view kSecret = "TREASURE 4711\n";

struct Tree {
  test::Scratch scratch;
  std::string root = scratch / "root", outside = scratch / "outside";
  Tree() {
    std::filesystem::create_directories(root + "/d/e");
    std::filesystem::create_directories(outside + "/e");
    spill(root + "/d/e/f", "inside\n");
    spill(root + "/other", "inside\n");
    spill(outside + "/e/f", kSecret);
    std::filesystem::create_symlink(outside, root + "/link-to-folder");
    std::filesystem::create_symlink(outside + "/e", root + "/link-to-deep-folder");
    std::filesystem::create_symlink(outside + "/e/f", root + "/link-to-file");
  }
  std::size_t outside_entries() const {
    const std::filesystem::recursive_directory_iterator all(outside);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
};

// Exchanges three names with links to the same outside, over and over.
class Swapper {
 public:
  explicit Swapper(const std::string& root) : root_(root), thread_([this] { swap(); }) {}
  ~Swapper() {
    stop_ = true;
    thread_.join();
  }

 private:
  void swap() {
    for (unsigned round = 0; !stop_; ++round) {
      switch (round % 3) {
        case 0: twice("/d", "/link-to-folder"); break;
        case 1: twice("/d/e", "/link-to-deep-folder"); break;
        case 2: twice("/d/e/f", "/link-to-file"); break;
      }
    }
  }
  void twice(const char* one, const char* other) {
    for (int time = 0; time < 2; ++time) {
      ::renameat2(AT_FDCWD, (root_ + one).c_str(), AT_FDCWD, (root_ + other).c_str(), RENAME_EXCHANGE);
      std::this_thread::yield();
    }
  }
  std::string root_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

struct Attempt {
  const char* tool;
  const char* arguments;
};

constexpr Attempt kAttempts[] = {
    {"read", R"({"path":"d/e/f"})"},
    {"read", R"({"paths":["d/e/f","d/../d/e/f"],"anchors":true})"},
    {"write", R"({"path":"d/e/f","content":"inside\nagain\n"})"},
    {"write", R"({"path":"d/e/new","content":"inside\n"})"},
    {"write", R"({"path":"d/made/deep/new","content":"inside\n"})"},
    {"edit", R"({"path":"d/e/f","old_text":"inside","new_text":"inside too"})"},
    {"edit", R"({"path":"d/e/f","old_text":"TREASURE","new_text":"stolen"})"},
    {"edit", R"({"path":"d/e/f","old_text":"inside too","new_text":"inside"})"},
    {"patch", R"({"patch":"*** Delete File: d/e/f\n*** Add File: d/e/g\n+inside\n"})"},
    {"patch", R"({"patch":"*** Update File: d/e/g\n*** Move to: d/e/f\n inside\n"})"},
    {"patch", R"({"patch":"*** Update File: other\n@@\n-inside\n+inside\n*** Delete File: d/e/f\n"})"},
    {"grep", R"({"pattern":"TREASURE","all":true})"},
    {"grep", R"({"pattern":"TREASURE","path":"d"})"},
    {"grep", R"({"pattern":"TREASURE","path":"d/e/f"})"},
    {"find", R"({"pattern":"*","path":"d/e"})"},
    {"list_files", R"({"path":"d/e"})"},
};

TEST(EscapeRace, NothingLeavesTheRootWhileNamesChange) {
  const Tree tree;
  const config::Environment environment;
  EventLoop loop;
  Session session{
      environment, Mode::kWorkspace, *Workspace::open(tree.root, {}, {}), {}, loop, Shell(loop, environment, {}), {}};
  const std::size_t entries = tree.outside_entries();
  int succeeded = 0, failed = 0;
  {
    const Swapper swapper(tree.root);
    for (int round = 0; round < 150; ++round) {
      for (const Attempt& attempt : kAttempts) {
        event::ToolCall call;
        call.call_id = "c";
        call.name = attempt.tool;
        call.arguments = attempt.arguments;
        session.observed = {};  // a change that the model has not seen is not what is looked for here
        const Ran ran = run_call(session, call, [] { return false; }, {});
        (ran.outcome && ran.outcome->status == Status::kSuccess ? succeeded : failed) += 1;
        const std::string& said = ran.outcome ? ran.outcome->output : ran.outcome.error().what;
        ASSERT_EQ(said.find("4711"), std::string::npos) << attempt.tool << attempt.arguments << said;
      }
      // What was taken away is there again for the next round.
      if (!std::filesystem::exists(tree.root + "/d/e/f")) {
        const os::Fd folder(::open((tree.root + "/d/e").c_str(), O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC));
        const os::Fd file(folder ? ::openat(folder.get(), "f", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) : -1);
        if (file) (void)!::write(file.get(), "inside\n", 7);
      }
    }
  }
  EXPECT_EQ(slurp(tree.outside + "/e/f"), kSecret);
  EXPECT_EQ(tree.outside_entries(), entries);
  EXPECT_GT(succeeded, 200);
  EXPECT_GT(failed, 200) << "the swapping met nothing";
}

}  // namespace
}  // namespace magi::toolbox
