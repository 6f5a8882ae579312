// What the fuzzers of tests/fuzz start from and have found, gone through in every run.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/fuzz/replay_properties.h"
#include "tests/unit/context/replay_support.h"

namespace magi::context::test {
namespace {

template <class Check>
int go_through(const char* corpus, Check check) {
  int seen = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(MAGI_SOURCE_DIR "/tests/fuzz/corpus/") + corpus)) {
    EXPECT_EQ(check(read_file(entry.path())), "") << entry.path();
    ++seen;
  }
  return seen;
}

TEST(FuzzCorpus, Events) { EXPECT_GT(go_through("event", complaint_of_event), 20); }
TEST(FuzzCorpus, Sessions) { EXPECT_GT(go_through("replay", complaint_of_session), 10); }

}  // namespace
}  // namespace magi::context::test
