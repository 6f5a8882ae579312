// tests/golden/<name>/in.jsonl replayed must give out.jsonl and, on stderr, the lines of `notices`, byte for byte.
// MAGI_WRITE_GOLDEN=1 in the environment writes them anew instead.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/context/replay_support.h"

namespace magi::context::test {
namespace {

void compare(const std::filesystem::path& file, const std::string& text) {
  if (std::getenv("MAGI_WRITE_GOLDEN")) std::ofstream(file, std::ios::binary) << text;
  EXPECT_EQ(read_file(file), text) << file;
}

TEST(Golden, SessionsGiveTheirStreams) {
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MAGI_SOURCE_DIR "/tests/golden")) {
    const auto replayed = replay(read_file(entry.path() / "in.jsonl"));
    EXPECT_EQ(complaint(replayed.stream), "") << entry.path();
    std::string notices;
    for (const std::string& notice : replayed.notices) notices += notice + "\n";
    compare(entry.path() / "out.jsonl", replayed.stream);
    compare(entry.path() / "notices", notices);
    ++seen;
  }
  EXPECT_GE(seen, 13);
}

}  // namespace
}  // namespace magi::context::test
