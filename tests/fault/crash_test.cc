// Crashes and failing calls at every point of what the loop does to a session: nothing that was acknowledged is lost,
// and every session can be read and written afterwards.
#include "libcommon/session/fork.h"
#include "libcommon/session/report.h"
#include "libcommon/session/store.h"
#include "libcommon/session/writer.h"
#include "tests/fault/crash_explorer.h"
#include "tests/fault/store_check.h"
#include "tests/unit/scratch.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

namespace magi::session {
namespace {

using test::Acknowledge;
using test::CrashReport;
using test::CrashScenario;
using test::CrashState;

constexpr std::int64_t kMorning = 1'796'032'800'000;  // 2026-11-30T10:00:00Z
constexpr const char* kId = "20261130-100000-0123456789";

Home home_in(const std::string& folder) { return Home(folder + "/home"); }
WriterOptions options(Family family = Family::kPrimary) {
  return {"/project", family, [] { return kMorning; }};
}

template <class Payload>
Payload of_turn(const std::string& turn) {
  Payload payload;
  payload.turn_id = turn;
  return payload;
}

event::UserInput input(const std::string& turn) {
  auto payload = of_turn<event::UserInput>(turn);
  payload.text = "please look at " + turn + std::string(200, '.');
  return payload;
}

event::AssistantOutput answer(const std::string& turn) {
  auto payload = of_turn<event::AssistantOutput>(turn);
  payload.text = "done";
  payload.status = "completed";
  return payload;
}

event::ToolCallEvent call(const std::string& turn, const std::string& call_id) {
  auto payload = of_turn<event::ToolCallEvent>(turn);
  payload.call_id = call_id;
  payload.name = "bash";
  payload.arguments = R"({"command":"ls"})";
  return payload;
}

event::ToolResultEvent result(const std::string& turn, const std::string& call_id, std::size_t size) {
  auto payload = of_turn<event::ToolResultEvent>(turn);
  payload.call_id = call_id;
  payload.result_id = "r-" + call_id;
  payload.status = "success";
  payload.output = std::string(size, 'x');
  return payload;
}

event::TurnStatus completed(const std::string& turn) {
  auto payload = of_turn<event::TurnStatus>(turn);
  payload.status = "completed";
  return payload;
}

// A session as the loop uses it.  What a required append returned is promised, with every best-effort one before it.
// Rolled back: the same writer tries once more.  Uncertain: only opening the session again tells.
class Loop {
 public:
  Loop(const std::string& folder, const Acknowledge& acknowledge, Family family = Family::kPrimary)
      : home_(home_in(folder)), family_(family), acknowledge_(acknowledge) {}

  void begin() {
    writer_ = Writer::create(home_, options(family_));
    if (!writer_->prepare()) static_cast<void>(writer_->prepare());
  }
  void resume(const std::string& id) {
    for (int attempt = 0; attempt < 2 && !writer_; ++attempt)
      if (auto opened = Writer::open(home_, id, options(family_))) writer_.emplace(std::move(*opened));
  }
  template <class Payload>
  void append(Payload payload, Durability durability) {
    Batch batch;
    batch.add(payload);
    append_batch(batch, durability);
  }
  void append_batch(const Batch& batch, Durability durability) {
    for (int attempt = 0; attempt < 2 && writer_; ++attempt) {
      auto ids = writer_->append_batch(batch, durability);
      if (ids) return stored(*std::move(ids), durability);
      if (!writer_->is_uncertain()) continue;
      waiting_.clear();
      const std::string id = writer_->id();
      writer_.reset();
      resume(id);
    }
  }
  void save_sidecar() {
    if (writer_) writer_->save_sidecar();
  }
  void sync() {
    if (writer_ && writer_->sync()) promise();
  }

 private:
  void stored(std::vector<std::string> ids, Durability durability) {
    waiting_.insert(waiting_.end(), ids.begin(), ids.end());
    if (durability == Durability::kRequired) promise();
  }
  void promise() {
    for (std::string& id : waiting_) acknowledge_(std::move(id));
    waiting_.clear();
  }

  Home home_;
  Family family_;
  const Acknowledge& acknowledge_;
  std::optional<Writer> writer_;
  std::vector<std::string> waiting_;
};

void tool_turn(Loop& loop, const std::string& turn, std::size_t output_size) {
  loop.append(input(turn), Durability::kRequired);
  Batch calls;
  auto said = answer(turn);
  auto one = call(turn, turn + "-1"), two = call(turn, turn + "-2");
  calls.add(said);
  calls.add(one);
  calls.add(two);
  loop.append_batch(calls, Durability::kRequired);
  loop.append(result(turn, turn + "-1", output_size), Durability::kBestEffort);
  loop.append(result(turn, turn + "-2", 10), Durability::kRequired);
  Batch end;
  auto last = answer(turn);
  auto status = completed(turn);
  end.add(last);
  end.add(status);
  loop.append_batch(end, Durability::kRequired);
  loop.save_sidecar();
}

// The session kId with one turn in it.
void one_turn_before(const std::string& folder) {
  const Home home = home_in(folder);
  ASSERT_TRUE(open_sessions(home, Family::kPrimary, os::IfMissing::kCreate));
  test::spill(home.session(kId), event::session_line({"10", "2026-11-30T09:00:00.000Z", kId, "/project"}, input("t0")));
  test::spill(home.sessions() + "/event-id-sequence", "4096\n");
  auto writer = Writer::open(home, kId, options());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(answer("t0"), Durability::kRequired));
  ASSERT_TRUE(writer->append(completed("t0"), Durability::kRequired));
}

void check_store(const CrashState& state) { test::expect_store_is_sound(home_in(state.folder), state.acknowledged); }

void expect_explored(const char* name, const CrashScenario& scenario, int at_least, int least_calls) {
  test::CrashBounds bounds;
  bounds.harmless = {test::Fault::kEintr, test::Fault::kShortOnce};
  const CrashReport report = test::explore_crashes(scenario, bounds);
  std::printf("%s: %s\n", name, to_string(report).c_str());
  EXPECT_GE(report.states, at_least);
  EXPECT_GE(report.calls, least_calls);
}

TEST(Crash, FirstTurn) {
  expect_explored("first turn",
                  {[](const std::string&) {},
                   [](const std::string& folder, const Acknowledge& acknowledge) {
                     Loop loop(folder, acknowledge);
                     loop.begin();
                     loop.append(input("t1"), Durability::kRequired);
                     loop.append(answer("t1"), Durability::kRequired);
                     loop.append(completed("t1"), Durability::kRequired);
                     loop.save_sidecar();
                   },
                   &check_store},
                  1000, 60);
}

TEST(Crash, FirstTurnOfAChildSession) {
  expect_explored("first turn of a child",
                  {[](const std::string&) {},
                   [](const std::string& folder, const Acknowledge& acknowledge) {
                     Loop loop(folder, acknowledge, Family::kChild);
                     loop.begin();
                     loop.append(input("t1"), Durability::kRequired);
                   },
                   &check_store},
                  1000, 60);
}

TEST(Crash, ToolTurn) {
  expect_explored("tool turn",
                  {&one_turn_before,
                   [](const std::string& folder, const Acknowledge& acknowledge) {
                     Loop loop(folder, acknowledge);
                     loop.resume(kId);
                     tool_turn(loop, "t1", 9000);
                   },
                   &check_store},
                  1000, 60);
}

TEST(Crash, TornTailRepair) {
  const auto torn = [](const std::string& folder) {
    one_turn_before(folder);
    const std::string path = home_in(folder).session(kId);
    test::spill(path, test::slurp(path) + R"({"event_type":"user_input","event_id":"1fff","payl)");
  };
  expect_explored("torn-tail repair",
                  {torn,
                   [](const std::string& folder, const Acknowledge& acknowledge) {
                     Loop loop(folder, acknowledge);
                     loop.resume(kId);
                     loop.append(input("t1"), Durability::kRequired);
                     loop.append(answer("t1"), Durability::kRequired);
                     loop.save_sidecar();
                   },
                   &check_store},
                  500, 40);
}

TEST(Crash, Resume) {
  expect_explored("resume",
                  {&one_turn_before,
                   [](const std::string& folder, const Acknowledge& acknowledge) {
                     Loop loop(folder, acknowledge);
                     loop.resume(kId);
                     event::SessionTitle title;
                     title.title = "a title";
                     loop.append(title, Durability::kBestEffort);
                     event::SessionUsage usage;
                     loop.append(usage, Durability::kBestEffort);
                     loop.sync();
                     loop.save_sidecar();
                     loop.append(input("t1"), Durability::kRequired);
                   },
                   &check_store},
                  500, 40);
}

// A fork is there whole or not at all, and its source stays as it is.
TEST(Crash, Fork) {
  const auto fork = [](const std::string& folder, const Acknowledge& acknowledge) {
    ForkOptions options;
    options.now_ms = [] { return kMorning; };
    auto forked = fork_session(home_in(folder), kId, options);
    if (!forked) forked = fork_session(home_in(folder), kId, options);
    if (forked) acknowledge(forked->id);
  };
  const auto check = [](const CrashState& state) {
    const Home home = home_in(state.folder);
    test::expect_store_is_sound(home, {});
    for (const std::string& id : state.acknowledged) EXPECT_TRUE(find_session(home, id)) << "lost: " << id;
    const auto list = list_sessions(home);
    for (const SessionInfo& info : list->sessions)
      EXPECT_EQ(read_report(home, info.id)->events, 4) << "three copied ones and that of the check";
  };
  expect_explored("fork", {&one_turn_before, fork, check}, 300, 20);
}

// The counter grows by a digit, so that it is replaced rather than overwritten; then it is overwritten.
TEST(Crash, EventIdBlocks) {
  expect_explored("blocks of event IDs",
                  {[](const std::string& folder) {
                     one_turn_before(folder);
                     test::spill(home_in(folder).sessions() + "/event-id-sequence", "9000\n");
                   },
                   [](const std::string& folder, const Acknowledge& acknowledge) {
                     for (int run = 0; run < 2; ++run) {
                       Loop loop(folder, acknowledge);
                       loop.resume(kId);
                       loop.append(input("t" + std::to_string(run)), Durability::kRequired);
                     }
                   },
                   &check_store},
                  500, 60);
}

}  // namespace
}  // namespace magi::session
