#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "libcommon/base/clock.h"
#include "libcommon/os/fd.h"
#include "libcommon/session/writer.h"
#include "tests/fault/store_check.h"
#include "tests/unit/scratch.h"

namespace magi::session {
namespace {

constexpr int kStarts = 100, kAtOnce = 20;

event::UserInput input(const std::string& text) {
  event::UserInput payload;
  payload.turn_id = "t";
  payload.text = text;
  return payload;
}

// One process of a pair.  The writer appends and holds the session until `until` closes; the other exits with the
// status of its error, which must have come in time.
int contend(const Home& home, const std::string& id, int go, int until) {
  char byte;
  if (::read(go, &byte, 1) != 0) return 90;
  const std::int64_t start = monotonic_ns();
  auto writer = Writer::open(home, id, {"/project"});
  const std::int64_t waited_ms = (monotonic_ns() - start) / 1'000'000;
  // 2 s are promised, as far as the machine gives a process its turn.
  if (!writer) return waited_ms < 4000 ? exit_status(writer.error().code) : 91;
  if (!writer->append(input("mine"), Durability::kRequired)) return 92;
  return ::read(until, &byte, 1) == 0 ? 0 : 93;
}

struct Pair {
  std::string id;
  os::Pipe until;
  std::vector<pid_t> processes;
};

// Two processes each on sessions that exist, all started at once.
std::vector<Pair> start_pairs(const Home& home, const std::vector<std::string>& ids) {
  os::Pipe go = *os::make_pipe();
  std::vector<Pair> pairs;
  for (const std::string& id : ids) pairs.push_back({id, *os::make_pipe(), {}});
  for (Pair& pair : pairs)
    for (int i = 0; i < 2; ++i)
      pair.processes.push_back(test::in_child([&] {
        go.write.reset();
        for (Pair& other : pairs) other.until.write.reset();
        return contend(home, pair.id, go.read.get(), pair.until.read.get());
      }));
  go.write.reset();
  return pairs;
}

// The status of the first to end, then, with the session let go, that of the other.
std::vector<int> end_pair(Pair& pair) {
  std::vector<int> statuses;
  while (statuses.empty()) {
    for (const pid_t pid : pair.processes) {
      int status = 0;
      if (::waitpid(pid, &status, WNOHANG) != pid) continue;
      statuses.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
      std::erase(pair.processes, pid);
      break;
    }
    ::usleep(1000);
  }
  pair.until.write.reset();
  statuses.push_back(test::exit_of(pair.processes.front()));
  return statuses;
}

TEST(TwoWriters, OneHundredStartsGiveOneWriterEach) {
  const test::Scratch scratch;
  const Home home(scratch / "home");
  std::vector<std::string> ids;
  for (int i = 0; i < kAtOnce; ++i) {
    Writer writer = Writer::create(home, {"/project"});
    ASSERT_TRUE(writer.append(input("first"), Durability::kRequired));
    ids.push_back(writer.id());
  }
  for (int start = 0; start < kStarts; start += kAtOnce) {
    std::vector<Pair> pairs = start_pairs(home, ids);
    for (Pair& pair : pairs) EXPECT_EQ(end_pair(pair), (std::vector{kExitBusy, kExitOk})) << pair.id;
  }
  std::vector<std::string> all;
  for (const std::string& id : ids)
    for (std::string& event_id : test::event_ids_in(test::slurp(home.session(id)))) all.push_back(std::move(event_id));
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kAtOnce + kStarts)) << "one event of each writer";
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

}  // namespace
}  // namespace magi::session
