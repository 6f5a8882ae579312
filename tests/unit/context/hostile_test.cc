// Whatever the bytes: reading succeeds or fails cleanly, and what is written is a valid stream with calls and results
// matched.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/context/random_session.h"
#include "tests/unit/context/replay_support.h"

namespace magi::context::test {
namespace {

std::vector<std::string> golden_sessions() {
  std::vector<std::string> sessions;
  for (const auto& entry : std::filesystem::directory_iterator(MAGI_SOURCE_DIR "/tests/golden"))
    sessions.push_back(read_file(entry.path() / "in.jsonl"));
  return sessions;
}

// One to six small damages: bits, bytes, cut and doubled pieces, lines swapped.
std::string damaged(std::string text, Random& random) {
  static const std::string kBytes("\0\n\"\\{}[],:\xFF\xED\xA0u0e-", 18);
  for (std::uint64_t left = 1 + random.below(6); left > 0 && !text.empty(); --left) {
    const std::size_t at = random.below(text.size()), size = 1 + random.below(60);
    switch (random.below(6)) {
      case 0: text[at] = static_cast<char>(text[at] ^ (1 << random.below(8))); break;
      case 1: text.insert(at, 1, kBytes[random.below(kBytes.size())]); break;
      case 2: text.erase(at, size); break;
      case 3: text.insert(random.below(text.size()), text.substr(at, size)); break;
      case 4: text.resize(at); break;
      default: {
        const std::size_t end = text.find('\n', at);
        if (end == std::string::npos) break;
        text = text.substr(end + 1) + text.substr(0, end + 1);
      }
    }
  }
  return text;
}

TEST(Hostile, DamagedSessionsGiveValidStreams) {
  const auto sessions = golden_sessions();
  ASSERT_GE(sessions.size(), 8u);
  for (std::uint64_t seed = 1; seed <= 1'500; ++seed) {
    Random random(seed);
    const std::string session = damaged(sessions[random.below(sessions.size())], random);
    const auto r = replay(session);
    ASSERT_EQ(r.error, "") << "seed " << seed;
    ASSERT_EQ(complaint(r.stream), "") << "seed " << seed << "\n" << session;
    for (const std::string& notice : r.notices) ASSERT_LT(notice.size(), 4'000u);
  }
}

TEST(Hostile, DisorderedSessionsGiveValidStreams) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    std::string session;
    for (const std::string& text : random_session(random, 60)) session += text;
    const auto r = replay(session);
    ASSERT_EQ(complaint(r.stream), "") << "seed " << seed << "\n" << session;
    EXPECT_EQ(r.end.read->skipped_lines, 0);
  }
}

TEST(Hostile, DeepAndWideLinesAreOnlyBadLines) {
  const std::string deep(100'000, '[');
  const auto r = replay(deep + "\n" + line("user_input", "1", "{\"text\":" + deep + "}") + user("t", "ok"));
  EXPECT_EQ(r.outline(), "user ok\n");
  EXPECT_EQ(r.end.read->skipped_lines, 2);
}

}  // namespace
}  // namespace magi::context::test
