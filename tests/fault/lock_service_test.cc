#include <gtest/gtest.h>

#include "libcommon/base/clock.h"
#include "libcommon/os/child.h"
#include "libcommon/os/io.h"
#include "tests/unit/scratch.h"

namespace magi {
namespace {

// What lock_probe printed, and its exit status.
std::string probe(const std::string& home, const std::string& mode) {
  auto pipe = os::make_pipe();
  os::SpawnOptions options;
  options.program = MAGI_LOCK_PROBE;
  options.args = {home};
  options.env = {"LD_PRELOAD=" MAGI_LOCK_SHIM, "LOCK_SHIM=" + mode};
  if (mode.empty()) options.env.pop_back();
  options.stdout_fd = pipe->write.get();
  auto child = os::spawn(options);
  if (!child) return child.error().what;
  pipe->write.reset();
  std::string text = os::read_all(pipe->read.get(), 10'000).value_or("");
  return text + std::to_string(os::exit_code_of(*child->wait()));
}

int session_files(const std::string& home) {
  int files = 0;
  if (!std::filesystem::exists(home)) return 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(home))
    files += entry.path().extension() == ".jsonl";
  return files;
}

TEST(LockService, SES19AFailingOneIsAnErrorAndNothingIsWritten) {
  const test::Scratch scratch;
  const std::string said = probe(scratch / "home", "enolck");
  EXPECT_NE(said.find("locking not available (No locks available)\n1"), std::string::npos) << said;
  EXPECT_EQ(session_files(scratch / "home"), 0);
}

TEST(LockService, SES19AHangingOneIsAnErrorWithinTenSeconds) {
  const test::Scratch scratch;
  const std::int64_t start = monotonic_ns();
  const std::string said = probe(scratch / "home", "hang");
  EXPECT_LT((monotonic_ns() - start) / 1'000'000'000, 10);
  EXPECT_NE(said.find("locking not available (the lock service does not answer)\n1"), std::string::npos) << said;
  EXPECT_EQ(session_files(scratch / "home"), 0);
}

TEST(LockService, AnEmulationThatWorksIsUsed) {
  const test::Scratch scratch;
  EXPECT_EQ(probe(scratch / "home", ""), "stored\n0");
  EXPECT_EQ(session_files(scratch / "home"), 1);
}

}  // namespace
}  // namespace magi
