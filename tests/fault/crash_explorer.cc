#include "tests/fault/crash_explorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unordered_set>

#include "tests/fault/crash_states.h"
#include "tests/unit/scratch.h"

namespace magi::test {
namespace {

std::string with_commas(int number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

class Explorer {
 public:
  Explorer(const CrashScenario& scenario, const CrashBounds& bounds) : scenario_(scenario), bounds_(bounds) {}

  CrashReport explore() {
    const Scratch scratch;
    const DiskTrace trace = record(scratch.path());
    report_.calls = static_cast<int>(trace.calls.size());
    report_.operations = static_cast<int>(trace.ops.size());
    acknowledged_ = trace.acknowledged.size();
    explore_from(trace, 0, bounds_.subsets, true, "");
    for (const Fault fault : bounds_.faults)
      for (int call = 1; call <= report_.calls && !has_failed(); ++call) explore_fault(fault, call);
    return report_;
  }

 private:
  static bool has_failed() { return testing::Test::HasFailure(); }

  DiskTrace record(const std::string& folder) const {
    scenario_.prepare(folder);
    DiskRecorder recorder(folder);
    scenario_.act(folder, [&](std::string what) { recorder.acknowledge(std::move(what)); });
    return recorder.take();
  }

  void explore_fault(Fault fault, int call) {
    const Scratch scratch;
    scenario_.prepare(scratch.path());
    DiskTrace trace;
    {
      const FaultyDisk faulty(fault, call);
      DiskRecorder recorder(scratch.path());
      scenario_.act(scratch.path(), [&](std::string what) { recorder.acknowledge(std::move(what)); });
      if (!faulty.fired()) return;
      trace = recorder.take();
    }
    ++report_.faults;
    const DiskTrace::Mark& failed = trace.calls[static_cast<std::size_t>(call - 1)];
    const std::string about =
        std::string(fault_name(fault)) + " at call " + std::to_string(call) + " (" + failed.what + "), ";
    if (std::count(bounds_.harmless.begin(), bounds_.harmless.end(), fault) > 0) {
      EXPECT_EQ(trace.acknowledged.size(), acknowledged_) << about << "which should do no harm";
    }
    explore_from(trace, failed.at_op, bounds_.subsets_after_fault, bounds_.tears_after_fault, about);
    if (has_failed()) return;
    ++report_.states;
    check({scratch.path(), acknowledged(trace, trace.ops.size()), false, true, about + "no crash"}, trace);
  }

  void explore_from(const DiskTrace& trace, std::size_t first, std::size_t subsets, bool tears,
                    const std::string& about) {
    std::unordered_set<std::size_t> seen;
    for (std::size_t ops = first; ops <= trace.ops.size() && !has_failed(); ++ops) {
      const std::vector<std::string> promised = acknowledged(trace, ops);
      each_crash_state(trace, ops, subsets, tears, [&](const Image& image, const std::string& crash) {
        if (has_failed() || !seen.insert(fingerprint(image) * 31 + promised.size()).second) return;
        const Scratch scratch;
        materialise(image, scratch.path());
        const SameInodes same(image, scratch.path());
        ++report_.states;
        check({scratch.path(), promised, true, !about.empty(), about + crash}, trace);
      });
    }
  }

  static std::vector<std::string> acknowledged(const DiskTrace& trace, std::size_t ops) {
    std::vector<std::string> promised;
    for (const DiskTrace::Mark& mark : trace.acknowledged)
      if (mark.at_op <= ops) promised.push_back(mark.what);
    return promised;
  }

  void check(const CrashState& state, const DiskTrace& trace) const {
    const bool had_failed = has_failed();
    SCOPED_TRACE(state.about);
    scenario_.check(state);
    if (had_failed || !has_failed()) return;
    std::string list;
    for (std::size_t i = 0; i < trace.ops.size(); ++i)
      list += std::to_string(i + 1) + ' ' + describe(trace.ops[i]) + '\n';
    ADD_FAILURE() << "the run's operations:\n" << list;
  }

  const CrashScenario& scenario_;
  const CrashBounds& bounds_;
  CrashReport report_;
  std::size_t acknowledged_ = 0;  // by the undisturbed run
};

}  // namespace

CrashReport explore_crashes(const CrashScenario& scenario, const CrashBounds& bounds) {
  const char* const wanted = std::getenv("MAGI_EXPLORE");
  if (wanted == nullptr || std::string_view(wanted) != "all") return Explorer(scenario, bounds).explore();
  CrashBounds all = bounds;
  all.subsets_after_fault = all.subsets;
  all.tears_after_fault = true;
  return Explorer(scenario, all).explore();
}

std::string to_string(const CrashReport& report) {
  return with_commas(report.calls) + " disk calls (" + with_commas(report.operations) + " operations), " +
         with_commas(report.faults) + " faults, " + with_commas(report.states) + " states";
}

}  // namespace magi::test
