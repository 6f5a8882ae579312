#include <gtest/gtest.h>

#include <set>

#include "libcommon/event/session_event.h"
#include "libcommon/json/node.h"
#include "libcommon/os/append.h"
#include "libcommon/os/child.h"
#include "libcommon/os/io.h"
#include "libcommon/session/event_ids.h"
#include "libcommon/session/paths.h"
#include "tests/unit/scratch.h"

namespace magi {
namespace {

constexpr int kProcesses = 8, kEvents = 500;

// Appends kEvents prompts of different lengths to the session "shared".
int append_events(const session::Home& home, int process) {
  const os::Dir sessions = *session::open_sessions(home, session::Family::kPrimary, os::IfMissing::kFail);
  const os::Dir locks = *session::open_locks(sessions);
  auto lock = os::MutationLock::open(locks, session::file::mutation("shared"));
  if (!lock) return 2;
  auto file = os::AppendFile::open(sessions, session::file::session("shared"), os::FileUse::kAppend, std::move(*lock));
  if (!file) return 3;
  session::EventIds ids(sessions, locks);
  for (int i = 0; i < kEvents; ++i) {
    event::UserInput input;
    input.turn_id = "t" + std::to_string(process) + "-" + std::to_string(i);
    input.text = std::string(static_cast<std::size_t>(i * 53 % 6000), static_cast<char>('a' + process));
    auto id = ids.next();
    if (!id) return 5;
    const std::string line = event::session_line({*id, "2026-11-30T10:00:01.000Z", "shared", "/p"}, input);
    if (file->append(line, false).outcome != os::AppendOutcome::kDone) return 4;
  }
  return 0;
}

TEST(ConcurrentAppend, SES07EightProcessesLoseNothingAndTheSessionReplays) {
  const test::Scratch scratch;
  const session::Home home(scratch / "home");
  ASSERT_TRUE(session::open_sessions(home, session::Family::kPrimary, os::IfMissing::kCreate));
  test::spill(home.session("shared"), "");
  auto start = os::make_pipe();
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process)
    children.push_back(test::in_child([&] {
      start->write.reset();
      char byte;
      return ::read(start->read.get(), &byte, 1) == 0 ? append_events(home, process) : 1;
    }));
  start->write.reset();
  for (const pid_t child : children) EXPECT_EQ(test::exit_of(child), 0);

  std::set<std::string> ids;
  json::Parser parser;
  for (const std::string& line : test::lines_of(test::slurp(home.session("shared")))) {
    const auto root = parser.parse(line);
    ASSERT_TRUE(root) << line.substr(0, 200);
    ASSERT_TRUE(ids.insert(event::parse_session_event(*root)->envelope.event_id).second);
  }
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(kProcesses * kEvents));

  auto said = os::make_pipe();
  os::SpawnOptions replay;
  replay.program = MAGI_REPLAY;
  replay.args = {"--home", home.root(), "shared"};
  replay.stderr_fd = said->write.get();
  auto child = os::spawn(replay);
  ASSERT_TRUE(child);
  said->write.reset();
  EXPECT_EQ(*os::read_all(said->read.get(), 10'000), "");
  EXPECT_EQ(os::exit_code_of(*child->wait()), 0);
}

}  // namespace
}  // namespace magi
