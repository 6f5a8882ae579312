#include "tools/magi-code/loop/compaction_policy.h"

#include <gtest/gtest.h>

#include "tools/magi-code/loop/calibration.h"
#include "tools/magi-code/loop/control_tool.h"
#include "tools/magi-code/loop/projected_request.h"

namespace magi::code {
namespace {

using Step = CompactionPolicy::Step;
using Boundary = CompactionPolicy::Boundary;

Projection sized(std::int64_t tokens, std::size_t bytes = 1000) {
  Projection next;
  next.tokens = tokens;
  next.fixed = 100;
  next.usable = 900;
  next.cutoff = 800;
  next.over = tokens > 900;
  next.bytes = bytes;
  next.method = "characters";
  return next;
}

TEST(CompactionPolicy, CompactsAtTheCutOffAtSettledBoundaries) {
  const CompactionPolicy policy({4, "p", "m"});
  for (const Boundary boundary : {Boundary::kTools, Boundary::kTurnEnd}) {
    EXPECT_EQ(policy.decide(boundary, sized(799), true), Step::kGo);
    EXPECT_EQ(policy.decide(boundary, sized(800), true), Step::kCompact);
    EXPECT_EQ(policy.decide(boundary, sized(2000), true), Step::kCompact);
  }
}

// TUI-15: where it cannot be had, the run goes on up to the hard budget.
TEST(CompactionPolicy, WithoutASessionOnlyTheHardBudgetEndsARun) {
  const CompactionPolicy policy({4, "p", "m"});
  EXPECT_EQ(policy.decide(Boundary::kTools, sized(850), false), Step::kTell);
  EXPECT_EQ(policy.decide(Boundary::kTurnEnd, sized(2000), false), Step::kGo);
  EXPECT_EQ(policy.decide(Boundary::kTools, sized(901), false), Step::kRefuse);
}

TEST(CompactionPolicy, TheCapIsOfOneRun) {
  CompactionPolicy policy({2, "p", "m"});
  policy.note_compaction();
  EXPECT_EQ(policy.decide(Boundary::kTools, sized(850), true), Step::kCompact);
  policy.note_compaction();
  EXPECT_EQ(policy.decide(Boundary::kTools, sized(850), true), Step::kTell);
  EXPECT_EQ(policy.decide(Boundary::kTools, sized(950), true), Step::kRefuse);
  EXPECT_EQ(policy.decide(Boundary::kInput, sized(950), true), Step::kRefuse);
  policy.begin_run();
  EXPECT_EQ(policy.decide(Boundary::kTools, sized(850), true), Step::kCompact);
}

TEST(CompactionPolicy, ZeroLiftsTheCapAndClaudeSubscriptionHasNone) {
  for (CompactionPolicy policy : {CompactionPolicy({0, "p", "m"}), CompactionPolicy({1, "claude-subscription", "m"})}) {
    for (int i = 0; i < 300; ++i) policy.note_compaction();
    EXPECT_EQ(policy.decide(Boundary::kTools, sized(850), true), Step::kCompact);
  }
}

TEST(CompactionPolicy, AnotherCompactionNeedsGrowth) {
  CompactionPolicy policy({4, "p", "m"});
  policy.note_resumed(1000);
  EXPECT_EQ(policy.decide(Boundary::kTools, sized(850, 1000), true), Step::kTell);
  EXPECT_EQ(policy.decide(Boundary::kTools, sized(850, 1001), true), Step::kCompact);
}

// CMP-01: what cannot shrink is named, and nothing is tried.
TEST(CompactionPolicy, FixedContentAboveTheCutOffIsRefused) {
  const CompactionPolicy policy({4, "p", "m"});
  Projection next = sized(850);
  next.fixed = 800;
  EXPECT_EQ(policy.decide(Boundary::kTools, next, true), Step::kRefuse);
  EXPECT_EQ(policy.decide(Boundary::kTurnEnd, next, true), Step::kRefuse);
  EXPECT_NE(policy.refusal(next, false).find("800 of them instructions and tools"), std::string::npos);
}

TEST(CompactionPolicy, AutomaticCompactionOffLeavesTheHardBudget) {
  const CompactionPolicy policy({4, "p", "m"});
  Projection next = sized(850);
  next.cutoff.reset();
  EXPECT_EQ(policy.decide(Boundary::kTools, next, true), Step::kGo);
  next.over = true;
  EXPECT_EQ(policy.decide(Boundary::kTools, next, true), Step::kRefuse);
  EXPECT_EQ(policy.decide(Boundary::kInput, next, true), Step::kRefuse);
  EXPECT_EQ(policy.decide(Boundary::kTools, sized(1), true, true), Step::kCompact) << "the model may ask for it";
}

// A6: independent of the cut-off.
TEST(CompactionPolicy, AnInputIsCheckedAgainstTheHardBudgetAlone) {
  const CompactionPolicy policy({4, "p", "m"});
  EXPECT_EQ(policy.decide(Boundary::kInput, sized(900), true), Step::kGo);
  EXPECT_EQ(policy.decide(Boundary::kInput, sized(901), true), Step::kCompact);
  EXPECT_EQ(policy.decide(Boundary::kInput, sized(901), false), Step::kRefuse);
  const std::string why = policy.refusal(sized(901), false);
  for (const char* way : {"/compact", "agent.compaction", "model_overrides", "shorten the input", "/new"})
    EXPECT_NE(why.find(way), std::string::npos) << way;
  EXPECT_EQ(policy.refusal(sized(901), true).find("/compact"), std::string::npos);
}

TEST(CompactionPolicy, APromptThatIsTooLongIsRecoveredOnce) {
  CompactionPolicy claude({4, "claude-subscription", "m"});
  EXPECT_FALSE(claude.may_recover(false));
  EXPECT_TRUE(claude.may_recover(true));
  claude.note_recovery();
  EXPECT_FALSE(claude.may_recover(true));
  EXPECT_FALSE(CompactionPolicy({4, "anthropic", "m"}).may_recover(true));
}

TEST(Calibration, AddsTheEstimatedChangeToWhatWasReported) {
  UsageCalibration calibration(UsageCalibration::applies_to("anthropic"));
  EXPECT_FALSE(calibration.project(100));
  calibration.sent(100);
  calibration.reported(150);
  EXPECT_EQ(calibration.project(100), 150);
  EXPECT_EQ(calibration.project(130), 180);
  EXPECT_EQ(calibration.project(20), 70);
  calibration.sent(std::nullopt);
  calibration.reported(999);
  EXPECT_EQ(calibration.project(100), 150) << "a report of what was not counted says nothing";
  calibration.reset();
  EXPECT_FALSE(calibration.project(100));
}

TEST(Calibration, IsForProvidersThatCountOtherwise) {
  UsageCalibration calibration(UsageCalibration::applies_to("openai"));
  calibration.sent(100);
  calibration.reported(150);
  EXPECT_FALSE(calibration.project(100));
}

// R13
TEST(ProjectedRequest, IsGoodOnceAndForTheSameRecordsOnly) {
  const std::string before =
      "{\"type\":\"request\",\"request_id\":\"r1\"}\n{\"type\":\"conversation\",\"version\":1}\n"
      "{\"type\":\"user\",\"text\":\"say \\\",\\\"event_id\\\":\\\"\",\"turn_id\":\"t\"}\n{\"type\":\"end\"}\n";
  const std::string after =
      "{\"type\":\"request\",\"request_id\":\"r1\"}\n{\"type\":\"conversation\",\"version\":1,\"model\":\"m\"}\n"
      "{\"type\":\"user\",\"text\":\"say \\\",\\\"event_id\\\":\\\"\",\"event_id\":\"1f\",\"turn_id\":\"t\"}\n"
      "{\"type\":\"end\",\"items\":1}\n";
  ProjectedRequest projected;
  EXPECT_FALSE(projected.take(after));
  projected.keep(before, {});
  EXPECT_TRUE(projected.take(after));
  EXPECT_FALSE(projected.take(after));
  for (const auto& [what, with] : {std::pair{"r1", "r2"}, {"say", "tell"}, {"\"t\"", "\"u\""}}) {
    projected.keep(before, {});
    std::string other = after;
    other.replace(other.find(what), std::string_view(what).size(), with);
    EXPECT_FALSE(projected.take(other)) << what;
  }
  projected.keep(before, {});
  projected.drop();
  EXPECT_FALSE(projected.take(after));
}

TEST(ControlTool, ReadsItsCalls) {
  EXPECT_EQ(read_control_call(R"({"action":"context_usage"})")->action, ControlWish::Action::kContextUsage);
  EXPECT_EQ(read_control_call(R"({"action":"compact","instructions":"keep it"})")->instructions, "keep it");
  for (const char* bad : {"", "[]", "{}", R"({"action":"x"})", R"({"action":7})", R"({"action":"compact","x":"y"})",
                          R"({"action":"compact","action":"compact"})"})
    EXPECT_FALSE(read_control_call(bad)) << bad;
}

}  // namespace
}  // namespace magi::code
