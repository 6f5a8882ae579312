// The corpora of the fuzzers, replayed, and each of their inputs damaged a little in the same ways in every run.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tests/fuzz/wire_targets.h"
#include "tests/unit/magi-provider/recordings.h"

namespace magi::fuzz {
namespace {

namespace fs = std::filesystem;

std::string damaged(std::string text, std::mt19937& random) {
  constexpr std::string_view kLikely = "\"\\{}[]:,\n\r \x01\xff\xc3u0dn";
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  for (std::size_t n = 1 + below(3); n > 0 && !text.empty(); --n) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0: text[at] = kLikely[below(kLikely.size())]; break;
      case 1: text.erase(at, 1 + below(8)); break;
      case 2: text.insert(at, text.substr(at, 1 + below(20))); break;
      default: text.insert(at, 1, kLikely[below(kLikely.size())]);
    }
  }
  return text;
}

TEST(FuzzCorpus, EveryInputHoldsWholeAndDamaged) {
  constexpr unsigned kSeed = 5;
  constexpr int kRounds = 300;
  std::mt19937 random(kSeed);
  for (const Target& target : kWireTargets) {
    const fs::path folder = provider::repository_folder() / "tests/fuzz/corpus" / target.name;
    ASSERT_TRUE(fs::is_directory(folder)) << folder;
    int inputs = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string bytes = provider::file_text(entry.path());
      ++inputs;
      EXPECT_EQ(target.run(bytes), "") << entry.path();
      for (int round = 0; round < kRounds; ++round) {
        const std::string input = damaged(bytes, random);
        EXPECT_EQ(target.run(input), "") << entry.path() << " damaged:\n" << input;
      }
    }
    std::printf("%-24s %3d inputs, %d damaged forms each (seed %u)\n", target.name, inputs, kRounds, kSeed);
    EXPECT_GT(inputs, 0) << folder;
  }
}

}  // namespace
}  // namespace magi::fuzz
