#include <gmock/gmock.h>

#include "tests/unit/tui_panel/sample_data.h"
#include "tools/magi-code/tui/panel/setting_value.h"

namespace magi::code::tui {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() { open(); }
  void open() {
    panel_ = make_panel("settings", {}, context_);
    panel_->opened();
    panel_->take(loaded("settings", sample_settings()));
  }
  void go_to(std::string_view key) {
    panel_->key(ctrl('u'));
    type(*panel_, key);
  }
  std::string shown() { return screen(*panel_, 100, 24); }
  const SaveSettings* save() {
    saved_ = panel_->key(ctrl('s')).effects;
    return find_effect<SaveSettings>(saved_);
  }

  PanelContext context_ = context();
  std::unique_ptr<Panel> panel_;
  Effects saved_;
};

TEST_F(SettingsTest, ChangesAreDraftsUntilTheyAreSaved) {
  go_to("allow_compaction");
  panel_->key(code(KeyCode::kEnter));
  EXPECT_THAT(panel_->title(), HasSubstr("1 unsaved"));
  go_to("threshold_percent");
  panel_->key(code(KeyCode::kEnter));
  type(*panel_, "70");
  panel_->key(code(KeyCode::kEnter));
  const SaveSettings* const wish = save();
  ASSERT_NE(wish, nullptr);
  EXPECT_EQ(wish->scope, "global");
  EXPECT_EQ(wish->seen, "g1");
  EXPECT_EQ(wish->edits, (std::vector<SettingEdit>{{"agent.compaction.claude_subscription.allow_compaction", "false"},
                                                   {"agent.compaction.auto.threshold_percent", "70"}}));
  SettingsData after = sample_settings();
  after.saved_scope = "global";
  panel_->take(loaded("settings", after, "save"));
  EXPECT_THAT(panel_->title(), Not(HasSubstr("unsaved")));
  EXPECT_THAT(shown(), HasSubstr("saved"));
}

TEST_F(SettingsTest, DraftsOutliveThePanel) {
  go_to("mode");
  panel_->key(code(KeyCode::kEnter));
  const PanelAnswer closed = panel_->key(code(KeyCode::kEscape));
  EXPECT_TRUE(closed.close);
  EXPECT_NE(find_effect<Notify>(closed.effects), nullptr);
  open();
  EXPECT_THAT(panel_->title(), HasSubstr("1 unsaved"));
  ASSERT_NE(save(), nullptr);
  EXPECT_EQ(save()->edits, (std::vector<SettingEdit>{{"permissions.mode", "\"ask\""}}));
  panel_->key(ctrl('x'));
  EXPECT_EQ(save(), nullptr);
}

TEST_F(SettingsTest, AChangeBackIsNoDraft) {
  go_to("provider");
  panel_->key(code(KeyCode::kDelete));
  EXPECT_THAT(panel_->title(), HasSubstr("1 unsaved"));
  EXPECT_EQ(save()->edits, (std::vector<SettingEdit>{{"provider", ""}}));
  panel_->key(code(KeyCode::kEnter));
  type(*panel_, "openai");
  panel_->key(code(KeyCode::kEnter));
  EXPECT_THAT(panel_->title(), Not(HasSubstr("unsaved")));
}

TEST_F(SettingsTest, ScopesAreApart) {
  go_to("reserve");
  EXPECT_THAT(shown(), HasSubstr("(8000)"));  // what is in force comes from the project
  panel_->key(code(KeyCode::kTab));
  EXPECT_EQ(panel_->title(), "Settings: Project");
  panel_->key(code(KeyCode::kEnter));
  EXPECT_THAT(shown(), HasSubstr("agent.context.reserve_tokens = 8000"));
  panel_->key(ctrl('u'));
  type(*panel_, "9000");
  panel_->key(code(KeyCode::kEnter));
  const SaveSettings* const wish = save();
  ASSERT_NE(wish, nullptr);
  EXPECT_EQ(wish->scope, "project");
  EXPECT_EQ(wish->seen, "p1");
  panel_->key(code(KeyCode::kTab));
  EXPECT_EQ(panel_->title(), "Settings: Global");
  EXPECT_EQ(save(), nullptr);
}

TEST_F(SettingsTest, AProjectCannotSetWhatIsTheUsers) {
  panel_->key(code(KeyCode::kTab));
  go_to("mode");
  panel_->key(code(KeyCode::kEnter));
  EXPECT_THAT(shown(), HasSubstr("a project cannot set this"));
  EXPECT_EQ(save(), nullptr);
}

TEST_F(SettingsTest, BoundsAreExplainedWhereTheyAreBroken) {
  go_to("threshold_percent");
  panel_->key(code(KeyCode::kEnter));
  type(*panel_, "101");
  panel_->key(code(KeyCode::kEnter));
  EXPECT_THAT(shown(), HasSubstr("must be a whole number from 1 to 100, or null"));
  EXPECT_EQ(save(), nullptr);
}

TEST_F(SettingsTest, K7RefusalsAreExplainedInPlace) {
  go_to("allow_compaction");
  panel_->key(code(KeyCode::kEnter));
  ASSERT_NE(save(), nullptr);
  panel_->key(ctrl('u'));
  SettingsData refused = sample_settings();
  refused.refused_key = "agent.compaction.claude_subscription.allow_compaction";
  refused.refused_why = "false needs agent.compaction.provider and agent.compaction.model of another provider";
  panel_->take(loaded("settings", refused, "save"));
  EXPECT_THAT(shown(), HasSubstr("not saved: agent.compaction.claude_subscription.allow_compaction"));
  EXPECT_THAT(shown(), HasSubstr("Refused: false needs"));
  EXPECT_THAT(panel_->title(), HasSubstr("1 unsaved"));
  expect_screens(*panel_, "settings-refused");
}

TEST_F(SettingsTest, AKeyWithANameCanBeAdded) {
  go_to("providers.local.base_url");
  panel_->key(code(KeyCode::kEnter));
  type(*panel_, "http://127.0.0.1:8080/v1");
  panel_->key(code(KeyCode::kEnter));
  const SaveSettings* const wish = save();
  ASSERT_NE(wish, nullptr);
  EXPECT_EQ(wish->edits, (std::vector<SettingEdit>{{"providers.local.base_url", "\"http://127.0.0.1:8080/v1\""}}));
}

TEST(SettingValue, RoundTripsText) {
  SettingRow row;
  for (const std::string text : {"plain", "with \"quotes\"", "back\\slash", "\xe6\x97\xa5"}) {
    const auto json = typed_value(row, text);
    ASSERT_TRUE(json);
    EXPECT_EQ(shown_value(*json), text);
  }
  EXPECT_EQ(shown_value(""), "-");
  EXPECT_EQ(shown_value("\"\""), "\"\"");
}

}  // namespace
}  // namespace magi::code::tui
