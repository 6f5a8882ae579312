// Crash exploration of anything that changes files through os::disk().
//
//   CrashScenario scenario;
//   scenario.prepare = [](const std::string& folder) { ... };       // the state before, in an empty folder
//   scenario.act = [](const std::string& folder, const Acknowledge& acknowledge) { ... };
//   scenario.check = [](const CrashState& state) { ... };           // EXPECT what must hold
//   const CrashReport report = explore_crashes(scenario);           // prefixes and faults
//   std::cout << "rotation: " << to_string(report) << '\n';
//   EXPECT_GE(report.states, 1000);
//
// `act` does the work and calls acknowledge(WHAT) at the moment from which WHAT is promised to survive: an event ID
// whose required append returned, "archived" after a rename that was synced.  It runs many times and must do the same
// each time while nothing fails (fixed clocks and IDs let equal states be recognised).  Where a call fails it does what
// the program would do, and acknowledges only what was promised.
//
// First `act` runs undisturbed and is recorded; for every prefix of its disk calls, every state that a crash may leave
// (crash_states.h) is rebuilt in a fresh folder and given to `check` with what was acknowledged until then.  Then, for
// every call of the run, reads and locks included, and every Fault: `act` runs with that call failing; `check` gets the
// states of a crash anywhere from there on, and last the folder as the run left it (`crashed` false).
//
// `check` may change the folder: reopen, append, repair, read again.  During it, disk calls report the inode numbers
// of the recorded run, as after a real reboot.  Exploration ends at the first failure; the trace says which state.
//
// Seen: what goes through os::disk() in this process, below `folder`.  Not seen: other processes, modes, readdir.
// Files are held in memory for each state, so keep them small.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tests/fault/faulty_disk.h"

namespace magi::test {

struct CrashState {
  std::string folder;
  std::vector<std::string> acknowledged;
  bool crashed = true;
  bool failed = false;  // a call had failed before
  std::string about;
};

using Acknowledge = std::function<void(std::string)>;

struct CrashScenario {
  std::function<void(const std::string& folder)> prepare;
  std::function<void(const std::string& folder, const Acknowledge& acknowledge)> act;
  std::function<void(const CrashState& state)> check;
};

// A state costs about half a millisecond.  With MAGI_EXPLORE=all in the environment after each fault as much is looked
// at as without one: minutes rather than seconds.
struct CrashBounds {
  // Subsets of unsynced operations for each prefix, undisturbed and after a fault.
  std::size_t subsets = 64, subsets_after_fault = 2;
  bool tears_after_fault = false;
  // Faults after which as much must be acknowledged as without one.
  std::vector<Fault> harmless = {};
  std::vector<Fault> faults = {Fault::kEio,        Fault::kEnospc,    Fault::kEintr, Fault::kShortWrite,
                               Fault::kStuckWrite, Fault::kShortOnce, Fault::kFull,  Fault::kReadOnly};
};

struct CrashReport {
  int calls = 0;       // disk calls of the undisturbed run
  int operations = 0;  // those that change or sync something
  int faults = 0;      // calls that were made to fail
  int states = 0;      // distinct states that `check` saw
  bool operator==(const CrashReport&) const = default;
};

CrashReport explore_crashes(const CrashScenario& scenario, const CrashBounds& bounds = {});

// "57 disk calls (21 operations), 310 faults, 4,812 states".
std::string to_string(const CrashReport& report);

}  // namespace magi::test
