// Fails the Nth disk call of everything that a session's life depends on, N = 1, 2, ... until none fires.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "libcommon/json/node.h"
#include "libcommon/session/sidecar.h"
#include "libcommon/session/store.h"
#include "libcommon/session/writer.h"
#include "tests/fault/faulty_disk.h"
#include "tests/unit/scratch.h"

namespace magi::session {
namespace {

using test::Fault;
using test::FaultyDisk;

constexpr Fault kFaults[] = {Fault::kEio, Fault::kEnospc, Fault::kEintr, Fault::kShortWrite, Fault::kStuckWrite};

event::UserInput input(const std::string& text) {
  event::UserInput payload;
  payload.turn_id = "t1";
  payload.text = text + std::string(300, '.');
  return payload;
}

WriterOptions options(Family family = Family::kPrimary) { return {"/project", family, &unix_time_ms}; }

// A home with what the test has acknowledged of it.
struct Scene {
  test::Scratch scratch;
  Home home{scratch / "home"};
  std::set<std::string> acknowledged;  // event IDs

  Result<std::string> append(Writer& writer, const std::string& text) {
    auto id = writer.append(input(text), Durability::kRequired);
    EXPECT_TRUE(!id || acknowledged.insert(*id).second) << "an event ID was used twice";
    return id;
  }

  std::string text(const std::string& id) const { return test::slurp(home.session(id)); }

  // Whole events only, but for `torn_lines` at most; every acknowledged one among them, none twice.
  void expect_sound(const std::string& id, int torn_lines) const {
    std::set<std::string> found;
    json::Parser parser;
    for (const std::string& line : test::lines_of(text(id))) {
      const auto root = parser.parse(line);
      const auto event = root ? event::parse_session_event(*root) : Result<event::SessionEvent>(root.error());
      if (!event) --torn_lines;
      EXPECT_TRUE(event ? found.insert(event->envelope.event_id).second : torn_lines >= 0) << line;
    }
    for (const std::string& event_id : acknowledged) EXPECT_TRUE(found.contains(event_id)) << event_id;
  }

  void expect_no_temporary_files() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home.root()))
      EXPECT_EQ(entry.path().filename().string().find(".tmp."), std::string::npos) << entry.path();
  }
};

// Runs `attempt(N)` for N = 1, 2, ... until its fault does not fire, and returns how many did.
int sweep(const std::function<bool(int)>& attempt) {
  int fired = 0;
  for (int n = 1; n < 200; ++n) {
    SCOPED_TRACE("disk call " + std::to_string(n));
    if (attempt(n))
      ++fired;
    else if (n > fired + 60)
      break;  // short writes fire on writes only
    if (testing::Test::HasFailure()) break;
  }
  return fired;
}

class FaultSweep : public testing::TestWithParam<Fault> {
 protected:
  bool is_write_fault() const { return GetParam() == Fault::kShortWrite || GetParam() == Fault::kStuckWrite; }
  void expect_kind(const Error& error) const {
    const bool full = GetParam() != Fault::kEio && GetParam() != Fault::kEintr;
    const bool of_a_lock = error.what.find("locking not available") != std::string::npos;
    EXPECT_TRUE(!full || of_a_lock || error.code == ErrorCode::kNoSpace) << error.what;
    EXPECT_EQ(error.what.rfind("cannot save session '", 0), 0u) << error.what;
  }
};

TEST_P(FaultSweep, AnAppendIsDoneOrTakenBackOrReportedUncertain) {
  int uncertain = 0, taken_back = 0;
  const int fired = sweep([&](int n) {
    Scene scene;
    std::string id;
    bool was_uncertain = false, did_fire = false;
    {
      Writer writer = Writer::create(scene.home, options());
      id = writer.id();
      EXPECT_TRUE(scene.append(writer, "one"));
      const std::string before = scene.text(id);
      {
        FaultyDisk disk(GetParam(), n);
        const auto result = scene.append(writer, "two");
        did_fire = disk.fired();
        was_uncertain = writer.is_uncertain();
        if (!result) expect_kind(result.error());
        if (!result && !was_uncertain) {
          EXPECT_EQ(scene.text(id), before);
          ++taken_back;
        }
        EXPECT_TRUE(result || did_fire);
      }
      uncertain += was_uncertain;
      EXPECT_EQ(scene.append(writer, "three").has_value(), !was_uncertain)
          << "the same writer goes on unless it cannot know";
    }
    scene.expect_sound(id, was_uncertain);
    auto again = Writer::open(scene.home, id, options());
    EXPECT_TRUE(again);
    EXPECT_TRUE(scene.append(*again, "four"));
    scene.expect_sound(id, was_uncertain);
    scene.expect_no_temporary_files();
    return did_fire;
  });
  EXPECT_GE(fired, is_write_fault() ? 1 : 4);
  if (GetParam() == Fault::kEio || GetParam() == Fault::kEnospc) {
    EXPECT_EQ(uncertain, 1) << "the sync";
    EXPECT_GE(taken_back, 3);
  }
  if (GetParam() == Fault::kEintr) {
    EXPECT_EQ(uncertain, 0);
  }
  if (GetParam() == Fault::kShortWrite) {
    EXPECT_EQ(taken_back, 1);
  }
  if (GetParam() == Fault::kStuckWrite) {
    EXPECT_EQ(uncertain, 1);
  }
}

TEST_P(FaultSweep, ANewSessionIsThereWholeOrNotAtAll) {
  const int fired = sweep([&](int n) {
    Scene scene;
    bool did_fire = false, was_uncertain = false;
    Writer writer = Writer::create(scene.home, options());
    {
      FaultyDisk disk(GetParam(), n);
      const auto result = scene.append(writer, "one");
      did_fire = disk.fired();
      was_uncertain = writer.is_uncertain();
      if (!result) expect_kind(result.error());
      EXPECT_TRUE(result || did_fire);
      if (!result && !was_uncertain) {
        EXPECT_FALSE(std::filesystem::exists(scene.home.session(writer.id())));
        EXPECT_FALSE(writer.exists());
      }
    }
    EXPECT_EQ(scene.append(writer, "two").has_value(), !was_uncertain);
    Writer other = Writer::create(scene.home, options());
    EXPECT_TRUE(scene.append(other, "three"));
    if (!was_uncertain) {
      const auto on_disk = scene.acknowledged;
      EXPECT_EQ(list_sessions(scene.home)->sessions.size(), 2u);
      EXPECT_GE(test::lines_of(scene.text(writer.id())).size(), on_disk.size() - 1);
    }
    scene.expect_no_temporary_files();
    return did_fire;
  });
  EXPECT_GE(fired, is_write_fault() ? 2 : 25) << "the counter and the record at least";
}

TEST_P(FaultSweep, AResumeFailsCleanlyOrWorks) {
  const int fired = sweep([&](int n) {
    Scene scene;
    std::string id;
    {
      Writer writer = Writer::create(scene.home, options());
      id = writer.id();
      EXPECT_TRUE(scene.append(writer, "one"));
    }
    const std::string before = scene.text(id);
    bool did_fire = false;
    {
      FaultyDisk disk(GetParam(), n);
      auto writer = Writer::open(scene.home, id, options());
      if (writer)
        static_cast<void>(scene.append(*writer, "two"));
      else
        EXPECT_EQ(scene.text(id), before);
      did_fire = disk.fired();
    }
    scene.expect_sound(id, 1);
    auto again = Writer::open(scene.home, id, options());
    EXPECT_TRUE(again);
    EXPECT_TRUE(scene.append(*again, "three"));
    scene.expect_sound(id, 1);
    return did_fire;
  });
  EXPECT_GE(fired, is_write_fault() ? 2 : 20);
}

TEST_P(FaultSweep, ASidecarNeverHarmsItsSession) {
  const int fired = sweep([&](int n) {
    Scene scene;
    Writer writer = Writer::create(scene.home, options());
    EXPECT_TRUE(scene.append(writer, "one"));
    const std::string before = scene.text(writer.id());
    bool did_fire = false;
    {
      FaultyDisk disk(GetParam(), n);
      writer.save_sidecar();
      did_fire = disk.fired();
    }
    EXPECT_EQ(scene.text(writer.id()), before);
    EXPECT_EQ(find_session(scene.home, writer.id())->facts.first_prompt, input("one").text);
    writer.save_sidecar();
    const os::Dir sessions = *open_sessions(scene.home, Family::kPrimary, os::IfMissing::kFail);
    EXPECT_TRUE(read_sidecar(sessions, writer.id()));
    scene.expect_no_temporary_files();
    return did_fire;
  });
  EXPECT_GE(fired, is_write_fault() ? 1 : 4);
}

std::string fault_label(const testing::TestParamInfo<Fault>& info) {
  static constexpr const char* kNames[] = {"Eio", "Enospc", "Eintr", "ShortWrite", "StuckWrite"};
  return kNames[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Every, FaultSweep, testing::ValuesIn(kFaults), fault_label);

}  // namespace
}  // namespace magi::session
