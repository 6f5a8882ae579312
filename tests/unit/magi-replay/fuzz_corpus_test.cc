// What the fuzzer of foreign sessions starts from and has found: the first byte of a file chooses the program.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/magi-replay/foreign_support.h"

namespace magi::replay::test {
namespace {

TEST(FuzzCorpus, ForeignSessions) {
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MAGI_SOURCE_DIR "/tests/fuzz/corpus/foreign")) {
    const std::string bytes = context::test::read_file(entry.path());
    ASSERT_FALSE(bytes.empty()) << entry.path();
    const auto format = static_cast<ForeignFormat>(static_cast<unsigned char>(bytes[0]) % 3);
    const auto converted = convert(std::string_view(bytes).substr(1), format);
    if (converted.error.empty()) {
      EXPECT_EQ(context::test::complaint(converted.stream), "") << entry.path();
    }
    ++seen;
  }
  EXPECT_GE(seen, 5);
}

}  // namespace
}  // namespace magi::replay::test
