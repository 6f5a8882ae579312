#include "libcommon/context/session_ledger.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "libcommon/os/fd.h"
#include "tests/unit/scratch.h"

namespace magi::context {
namespace {

std::string line(const std::string& type, const std::string& payload) {
  return R"({"event_type":")" + type +
         R"(","event_id":"1f","timestamp":"2026-11-30T10:00:00.000Z","session_id":"s1",)" +
         R"("cwd":"/project","payload":)" + payload + "}\n";
}

const std::string kArchive =
    R"("archive":{"path":".history/s1/0.jsonl","bytes":1,"sha256":")" + std::string(64, '0') + "\"}";

Result<SessionLedger> read(const std::string& text, std::size_t length) {
  const test::Scratch scratch;
  test::spill(scratch / "s", text);
  const os::Fd fd(::open((scratch / "s").c_str(), O_RDONLY | O_CLOEXEC));
  return read_ledger(fd.get(), length, [] { return true; });
}
SessionLedger read(const std::string& text) { return *read(text, text.size()); }

TEST(SessionLedger, CarriesWhatListingAndAccountingNeed) {
  const SessionLedger ledger =
      read(line("session_preferences", R"({"provider":"p","model":"m","permissions":"full"})") +
           line("user_input", R"({"turn_id":"t","text":"first"})") +
           line("user_input", R"({"turn_id":"t","text":"second"})") + line("session_title", R"({"title":"Old"})") +
           line("session_title", R"({"title":"New"})") +
           line("session_usage", R"({"input_tokens":10,"output_tokens":2,"cached_tokens":4})") +
           line("session_usage", R"({"input_tokens":5,"output_tokens":1})") +
           line("subagent_session", R"({"child_id":"k1","parent_id":"s1","status":"running"})") +
           line("subagent_session", R"({"child_id":"k1","parent_id":"s1","status":"completed"})") +
           line("subdir_instruction_load", R"({"path":"sub/AGENTS.md","text":"x"})"));
  EXPECT_EQ(event::payload_json(ledger.carried()),
            R"({"title":"New","first_prompt":"first","preferences":{"provider":"p","model":"m","permissions":"full"},)"
            R"("usage":{"requests":2,"input_tokens":15,"cached_tokens":4,"cache_write_tokens":0,"output_tokens":3,)"
            R"("reasoning_tokens":0},"children":[{"child_id":"k1","parent_id":"s1","status":"completed"}],)"
            R"("instructions":["sub/AGENTS.md"]})");
  EXPECT_EQ(ledger.cwd(), "/project");
  EXPECT_EQ(ledger.generation(), 0);
  EXPECT_TRUE(ledger.effects().complete());
}

TEST(SessionLedger, GoesOnFromACheckpoint) {
  const std::string effects = R"({"kind":"edit","mutations":1,"paths":["b"],"shell_calls":0})";
  const SessionLedger ledger =
      read(line("tool_result", R"({"call_id":"c0","execution_effects":)" + effects + "}") +
           line("session_usage", R"({"input_tokens":999,"output_tokens":9})") +
           line("compaction",
                R"({"summary":"s","generation":3,)" + kArchive +
                    R"(,"execution_effects":{"complete":true,"mutations":7,"shell_calls":2,"paths":["a"]},"carried":)"
                    R"({"title":"T","first_prompt":"F","worktree":"/w","usage":{"requests":4,"input_tokens":100}}})") +
           line("tool_result", R"({"call_id":"c1","status":"success","execution_effects":)" + effects + "}") +
           line("session_usage", R"({"input_tokens":1,"output_tokens":1})"));
  EXPECT_EQ(ledger.generation(), 3);
  EXPECT_EQ(ledger.effects().mutations(), 8);
  EXPECT_EQ(ledger.effects().shell_calls(), 2);
  EXPECT_TRUE(ledger.effects().complete());
  EXPECT_EQ(ledger.carried().title, "T");
  EXPECT_EQ(ledger.carried().first_prompt, "F");
  EXPECT_EQ(ledger.carried().worktree, "/w");
  EXPECT_EQ(ledger.carried().usage.requests, 5);
  EXPECT_EQ(ledger.carried().usage.input_tokens, 101);
}

TEST(SessionLedger, DoubtsWhatItCannotSee) {
  const std::string good = line("user_input", R"({"turn_id":"t","text":"x"})");
  EXPECT_TRUE(read(good).effects().complete());
  EXPECT_FALSE(read(good + "garbage\n").effects().complete());
  EXPECT_FALSE(read(good + line("tool_call", R"({"call_id":"c1"})")).effects().complete());
  EXPECT_FALSE(read(good + line("tool_result", R"({"call_id":"c1","status":"success"})")).effects().complete());
  EXPECT_FALSE(read(line("compaction", R"({"summary":"s","generation":1,)" + kArchive + "}")).effects().complete());
  // An invalid checkpoint is passed over.
  EXPECT_TRUE(
      read(good + line("compaction", R"({"summary":" ","generation":1,)" + kArchive + "}")).effects().complete());
}

TEST(SessionLedger, ReadsTheSnapshotAndNoFurther) {
  const std::string first = line("session_title", R"({"title":"A"})"),
                    second = line("session_title", R"({"title":"B"})");
  EXPECT_EQ(read(first + second, first.size())->carried().title, "A");
  EXPECT_EQ(read(first + second).carried().title, "B");
  EXPECT_FALSE(read(first, first.size() + 1)) << "a file that became shorter";
}

}  // namespace
}  // namespace magi::context
