#include <gmock/gmock.h>

#include "tests/unit/tui_panel/sample_data.h"

namespace magi::code::tui {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Panel> at_the_plan(bool running = false) {
  PanelContext with = context();
  with.turn_running = running;
  auto panel = make_panel("rewind", {}, with);
  panel->take(loaded("rewind", sample_points()));
  panel->key(code(KeyCode::kDown));  // newest first: the rewind, then "mend the parser"
  panel->key(code(KeyCode::kEnter));
  return panel;
}

TEST(Rewind, ShowsTheNewestPromptFirstWithItsFiles) {
  auto panel = make_panel("rewind", {}, context());
  panel->take(loaded("rewind", sample_points()));
  const std::string shown = screen(*panel, 80, 12);
  EXPECT_LT(shown.find("mend the"), shown.find("make a parser"));
  EXPECT_THAT(shown, HasSubstr("2 files  2 h"));
}

TEST(Rewind, AsksForThePlanAndShowsItBeforeAnythingIsDone) {
  auto panel = make_panel("rewind", {}, context());
  panel->take(loaded("rewind", sample_points()));
  panel->key(code(KeyCode::kDown));
  const Effects chosen = panel->key(code(KeyCode::kEnter)).effects;
  ASSERT_NE(find_effect<Load>(chosen), nullptr);
  EXPECT_EQ(find_effect<Load>(chosen)->key, "e2");
  // Without the plan files are not touched.
  EXPECT_FALSE(panel->key(code(KeyCode::kEnter)).close);
  panel->take(loaded("rewind", sample_plan(false), "e2"));
  expect_screens(*panel, "rewind-plan");
  EXPECT_THAT(screen(*panel, 80, 20), HasSubstr("conflict"));
  const PanelAnswer done = panel->key(code(KeyCode::kEnter));
  EXPECT_TRUE(done.close);
  const RewindTo* const to = find_effect<RewindTo>(done.effects);
  ASSERT_NE(to, nullptr);
  EXPECT_EQ(to->event_id, "e2");
  EXPECT_TRUE(to->files && to->conversation && !to->force && !to->dry_run);
}

TEST(Rewind, OffersOneWithoutTheOther) {
  auto panel = at_the_plan();
  panel->key(code(KeyCode::kDown));
  EXPECT_THAT(screen(*panel, 80, 20), HasSubstr("> Conversation only"));
  const PanelAnswer talk = panel->key(code(KeyCode::kEnter));  // needs no plan
  ASSERT_NE(find_effect<RewindTo>(talk.effects), nullptr);
  EXPECT_FALSE(find_effect<RewindTo>(talk.effects)->files);
  panel = at_the_plan();
  panel->take(loaded("rewind", sample_plan(false), "e2"));
  panel->key(code(KeyCode::kDown));
  panel->key(code(KeyCode::kDown));
  const PanelAnswer files = panel->key(code(KeyCode::kEnter));
  ASSERT_NE(find_effect<RewindTo>(files.effects), nullptr);
  EXPECT_FALSE(find_effect<RewindTo>(files.effects)->conversation);
}

TEST(Rewind, ForcesConflictsOnlyAfterShowingThat) {
  auto panel = at_the_plan();
  panel->take(loaded("rewind", sample_plan(false), "e2"));
  const Effects asked = panel->key(text_key("f")).effects;
  ASSERT_NE(find_effect<Load>(asked), nullptr);
  EXPECT_EQ(find_effect<Load>(asked)->key, "e2!");
  EXPECT_FALSE(panel->key(code(KeyCode::kEnter)).close);
  // A plan that is no longer wanted is not shown.
  panel->take(loaded("rewind", sample_plan(false), "e2"));
  EXPECT_FALSE(panel->key(code(KeyCode::kEnter)).close);
  panel->take(loaded("rewind", sample_plan(true), "e2!"));
  EXPECT_THAT(screen(*panel, 80, 20), HasSubstr("Forced"));
  const PanelAnswer done = panel->key(code(KeyCode::kEnter));
  ASSERT_NE(find_effect<RewindTo>(done.effects), nullptr);
  EXPECT_TRUE(find_effect<RewindTo>(done.effects)->force);
}

TEST(Rewind, OfARewindTakesBackFilesAlone) {
  auto panel = make_panel("rewind", {}, context());
  panel->take(loaded("rewind", sample_points()));
  panel->key(code(KeyCode::kEnter));
  EXPECT_THAT(screen(*panel, 80, 20), Not(HasSubstr("Conversation only")));
  RewindPlan plan = sample_plan(false);
  plan.event_id = "e3";
  panel->take(loaded("rewind", plan, "e3"));
  const PanelAnswer done = panel->key(code(KeyCode::kEnter));
  ASSERT_NE(find_effect<RewindTo>(done.effects), nullptr);
  EXPECT_TRUE(find_effect<RewindTo>(done.effects)->files);
  EXPECT_FALSE(find_effect<RewindTo>(done.effects)->conversation);
}

TEST(Rewind, WaitsForTheTurnAndGoesBackAStep) {
  auto busy = at_the_plan(true);
  EXPECT_THAT(screen(*busy, 80, 20), HasSubstr("a turn is running"));
  auto panel = at_the_plan();
  EXPECT_FALSE(panel->key(code(KeyCode::kEscape)).close);
  EXPECT_THAT(screen(*panel, 80, 20), HasSubstr("make a parser"));
  EXPECT_TRUE(panel->key(code(KeyCode::kEscape)).close);
  auto failing = at_the_plan();
  failing->take(failed("rewind", "the ledger is corrupt", "e2"));
  EXPECT_THAT(screen(*failing, 80, 20), HasSubstr("the ledger is corrupt"));
  EXPECT_FALSE(failing->key(code(KeyCode::kEnter)).close);
}

}  // namespace
}  // namespace magi::code::tui
