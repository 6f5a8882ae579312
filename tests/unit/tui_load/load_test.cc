#include "tools/magi-code/tui/load/load.h"

#include <gmock/gmock.h>

#include "tests/unit/tui_load/load_support.h"

namespace magi::code::tui {
namespace {

using magi::test::slurp;
using magi::test::spill;
using testing::HasSubstr;

class PanelLoadTest : public test::LoadTest {
 protected:
  // A session of two turns with calls.
  void tell_a_story() {
    session::Writer out = new_session();
    const auto add = [&](auto payload) { ASSERT_TRUE(out.append(payload, session::Durability::kRequired)); };
    add(event::SessionPreferences{"openai", "gpt-5", "workspace"});
    add(event::UserInput{"t1", "make a parser", {}, "user", {}, {}, {}});
    add(event::ToolCallEvent{"t1", "c1", "write", R"({"path":"src/a.cc","content":"x"})", {}, {}});
    add(event::ToolResultEvent{"t1", "c1", "r1", "success", "done", {}, {}, {}, {}, {}, {}});
    add(event::ToolCallEvent{"t1", "c2", "read", R"({"paths":["src/a.cc","./b.cc"]})", {}, {}});
    add(event::ToolResultEvent{"t1", "c2", "r2", "success", "x", {}, {}, {}, {}, {}, {}});
    add(event::AssistantOutput{"t1", "It is made.", "completed", {}});
    add(event::SessionUsage{"run", "t1", "openai", "gpt-5", 1, 1000, 400, 0, 50, 0});
    add(event::TurnStatus{"t1", "completed", {}, {}, {}});
    add(event::UserInput{"t2", "mend it", {}, "user", {}, {}, {}});
    add(event::ToolCallEvent{"t2", "c3", "code", R"({"code":"..."})", {}, {}});
    add(event::ToolCallEvent{"t2", "c4", "bash", R"({"command":"make"})", "c3", {}});
    add(event::ToolResultEvent{"t2", "c4", "r4", "error", "no", {}, {}, {}, {}, {}, {}});
    add(event::SessionUsage{"run", "t2", "openai", "gpt-5", 2, 2000, 900, 0, 60, 10});
    add(event::SessionUsage{"run", "t2", "anthropic", "claude", 3, 10, 0, 0, 5, 0});
  }
};

TEST_F(PanelLoadTest, WithoutASessionNothingIsAnErrorButWhatNeedsOne) {
  EXPECT_TRUE(get<SessionsData>("sessions").rows.empty());
  EXPECT_TRUE(get<ActivitiesData>("activities").rows.empty());
  EXPECT_TRUE(get<TouchedFiles>("files").files.empty());
  EXPECT_TRUE(get<UsageData>("usage").rows.empty());
  EXPECT_TRUE(get<RewindPoints>("rewind").points.empty());
  EXPECT_TRUE(get<LedgerData>("changes").turns.empty());
  source_.session_id.clear();
  EXPECT_TRUE(get<ActivitiesData>("activities").rows.empty());
  EXPECT_TRUE(get<TouchedFiles>("files").files.empty());
  EXPECT_FALSE(load("rewind").data);
  EXPECT_FALSE(load("changes").data);
  EXPECT_FALSE(load("nothing").data);
}

TEST_F(PanelLoadTest, SessionsComeWithTitlesAndTheEndOfOne) {
  tell_a_story();
  const SessionsData data = get<SessionsData>("sessions");
  ASSERT_EQ(data.rows.size(), 1u);
  EXPECT_EQ(data.rows[0].first_prompt, "make a parser");
  EXPECT_TRUE(data.rows[0].same_worktree);
  EXPECT_THAT(data.rows[0].model, HasSubstr("gpt-5"));
  const SessionPreview preview = get<SessionPreview>("sessions", source_.session_id);
  ASSERT_EQ(preview.messages.size(), 3u);
  EXPECT_EQ(preview.messages[1].text, "It is made.");
  EXPECT_FALSE(preview.messages[1].by_user);
  EXPECT_FALSE(preview.busy);
  EXPECT_FALSE(load("sessions", "../x").data);
}

TEST_F(PanelLoadTest, SessionsAreRenamedAndDeleted) {
  tell_a_story();
  EXPECT_EQ(
      data_of<SessionsData>(carry_out(source_, RenameSession{source_.session_id, " A \n title "})).rows.at(0).title,
      "A   title");
  EXPECT_FALSE(carry_out(source_, RenameSession{source_.session_id, "  "}).data);
  {
    const session::Writer busy = writer(source_.session_id);
    EXPECT_FALSE(carry_out(source_, DeleteSession{source_.session_id}).data);
  }
  EXPECT_TRUE(data_of<SessionsData>(carry_out(source_, DeleteSession{source_.session_id})).rows.empty());
  EXPECT_FALSE(carry_out(source_, DeleteSession{source_.session_id}).data);
}

TEST_F(PanelLoadTest, ActivitiesAreATree) {
  tell_a_story();
  const ActivitiesData data = get<ActivitiesData>("activities");
  std::string tree;
  for (const ActivityRow& row : data.rows)
    tree +=
        std::string(static_cast<std::size_t>(row.depth), ' ') + row.label + '|' + row.detail + '|' + row.status + '\n';
  EXPECT_EQ(tree,
            "make a parser||completed\n"
            " write|src/a.cc|success\n"
            " read||success\n"
            "mend it||running\n"
            " code||running\n"
            "  bash|make|error\n");
}

TEST_F(PanelLoadTest, FilesAreThoseThatWereReadAndChanged) {
  tell_a_story();
  const TouchedFiles data = get<TouchedFiles>("files");
  ASSERT_EQ(data.files.size(), 2u);
  EXPECT_EQ(data.files[0].path, "b.cc");
  EXPECT_EQ(data.files[0].reads, 1);
  EXPECT_EQ(data.files[1].path, "src/a.cc");
  EXPECT_EQ(data.files[1].writes, 1);
  EXPECT_EQ(data.files[1].reads, 1);
}

TEST_F(PanelLoadTest, UsageIsCountedByModel) {
  tell_a_story();
  const UsageData data = get<UsageData>("usage");
  ASSERT_EQ(data.rows.size(), 2u);
  EXPECT_EQ(data.rows[0].model, "gpt-5");
  EXPECT_EQ(data.rows[0].requests, 2);
  EXPECT_EQ(data.rows[0].input_tokens, 3000);
  EXPECT_EQ(data.rows[0].reasoning_tokens, 10);
  EXPECT_EQ(data.rows[1].output_tokens, 5);
  EXPECT_THAT(get<TextData>("context").text, HasSubstr("10 tokens in, 5 out"));
}

TEST_F(PanelLoadTest, RewindPointsArePromptsAndPlansAreDry) {
  tell_a_story();
  const RewindPoints data = get<RewindPoints>("rewind");
  ASSERT_EQ(data.points.size(), 2u);
  EXPECT_EQ(data.points[1].text, "mend it");
  EXPECT_GT(data.points[1].at_ms, 0);
  const RewindPlan plan = get<RewindPlan>("rewind", data.points[1].event_id + "!");
  EXPECT_EQ(plan.event_id, data.points[1].event_id);
  EXPECT_TRUE(plan.force);
  EXPECT_TRUE(plan.files.empty());
  EXPECT_FALSE(load("rewind", "nonsense").data);
}

TEST_F(PanelLoadTest, ModelsComeFromCatalogsAndSettings) {
  std::filesystem::create_directories(source_.home.root() + "/cache/model-catalog");
  spill(source_.home.model_catalog("openai"), R"({"models":[{"id":"gpt-5","context_window":400000},{"id":"gpt-x"}]})");
  spill(source_.home.model_catalog("anthropic"), "{");
  spill(source_.home.settings(), R"({"providers":{"local":{"base_url":"http://127.0.0.1:1/v1","model":"qwen"}}})");
  source_.environment = config::Environment({environment_[0], "OPENAI_API_KEY=x"});
  const ModelsData data = get<ModelsData>("model");
  std::string rows;
  for (const ModelRow& row : data.rows)
    if (row.note.empty())
      rows += row.provider + ' ' + row.model + ' ' + std::to_string(row.window_tokens.value_or(0)) + '\n';
  EXPECT_THAT(rows, HasSubstr("openai gpt-5 400000\nopenai gpt-x 0\n"));
  EXPECT_THAT(rows, HasSubstr("local qwen 0\n"));
  EXPECT_THAT(testing::PrintToString(data.notes), HasSubstr("model catalog"));
}

TEST_F(PanelLoadTest, TextsAreGiven) {
  source_.system_prompt = "You are.";
  EXPECT_EQ(get<TextData>("system-prompt").text, "You are.");
  EXPECT_FALSE(load("doctor").data);
  spill(scratch_ / "fake-doctor", "#!/bin/sh\necho \"$*\"\n", 0700);
  source_.magi_code = scratch_ / "fake-doctor";
  EXPECT_EQ(get<TextData>("doctor").text, "--home " + source_.home.root() + " doctor\n");
}

class SettingsLoadTest : public PanelLoadTest {
 protected:
  SettingsLoadTest() {
    std::filesystem::create_directory(source_.home.root());
    std::filesystem::permissions(source_.home.root(), std::filesystem::perms::owner_all);
  }
  const SettingRow& row(const SettingsData& data, std::string_view key) const {
    for (const SettingRow& each : data.rows)
      if (each.key == key) return each;
    ADD_FAILURE() << key;
    return data.rows.front();
  }
  SettingsData save(const std::string& scope, const std::string& seen, std::vector<SettingEdit> edits) {
    return data_of<SettingsData>(carry_out(source_, SaveSettings{scope, seen, std::move(edits)}));
  }
};

TEST_F(SettingsLoadTest, RowsSayWhatTheTableOfKeysSays) {
  const SettingsData data = get<SettingsData>("settings");
  const SettingRow& percent = row(data, "agent.compaction.auto.threshold_percent");
  EXPECT_EQ(percent.kind, SettingRow::Kind::kIntegerOrNull);
  EXPECT_EQ(percent.least, 1);
  EXPECT_EQ(percent.most, 100);
  EXPECT_EQ(percent.standard, "80");
  EXPECT_FALSE(percent.meaning.empty());
  EXPECT_TRUE(row(data, "sessions.retention_days").only_global);
  EXPECT_EQ(row(data, "permissions.mode").choices.size(), 4u);
}

TEST_F(SettingsLoadTest, SavingKeepsUnknownFieldsAndOrder) {
  spill(source_.home.settings(),
        R"({"future":{"x":[1,2]},"model":"a","providers":{"local":{"base_url":"http://127.0.0.1:1/v1"}}})");
  SettingsData data = get<SettingsData>("settings");
  EXPECT_EQ(row(data, "model").global, "\"a\"");
  EXPECT_EQ(row(data, "providers.local.base_url").global, "\"http://127.0.0.1:1/v1\"");
  data = save("global", data.global_digest, {{"model", "\"b\""}, {"agent.context.reserve_tokens", "5000"}});
  EXPECT_EQ(data.refused_why, "");
  EXPECT_EQ(data.saved_scope, "global");
  EXPECT_EQ(row(data, "agent.context.reserve_tokens").global, "5000");
  const std::string text = slurp(source_.home.settings());
  EXPECT_THAT(text, HasSubstr("\"future\""));
  EXPECT_LT(text.find("future"), text.find("\"b\""));
  data = save("global", data.global_digest, {{"model", ""}});
  EXPECT_EQ(row(data, "model").global, "");
}

TEST_F(SettingsLoadTest, AProjectHasAFileOfItsOwn) {
  SettingsData data = get<SettingsData>("settings");
  data = save("project", data.project_digest, {{"agent.context.reserve_tokens", "6000"}});
  EXPECT_EQ(data.saved_scope, "project");
  EXPECT_EQ(row(data, "agent.context.reserve_tokens").project, "6000");
  EXPECT_EQ(row(data, "agent.context.reserve_tokens").global, "");
  EXPECT_FALSE(std::filesystem::exists(source_.home.settings()));
}

// K7: what breaks a rule is refused with its key, and nothing is written.
TEST_F(SettingsLoadTest, K7RefusalsNameTheirKey) {
  const std::string key = "agent.compaction.claude_subscription.allow_compaction";
  SettingsData data = get<SettingsData>("settings");
  data = save("global", data.global_digest, {{key, "false"}});
  EXPECT_EQ(data.refused_key, key);
  EXPECT_THAT(data.refused_why, HasSubstr("needs agent.compaction.provider"));
  EXPECT_FALSE(std::filesystem::exists(source_.home.settings()));
  data = save(
      "global", data.global_digest,
      {{key, "false"}, {"agent.compaction.provider", "\"claude-subscription\""}, {"agent.compaction.model", "\"m\""}});
  EXPECT_EQ(data.refused_key, key);
  data = save("global", data.global_digest,
              {{key, "false"}, {"agent.compaction.provider", "\"openai\""}, {"agent.compaction.model", "\"m\""}});
  EXPECT_EQ(data.refused_why, "");
  EXPECT_EQ(row(data, key).global, "false");
  // The project's file counts too: it may not take the other provider away.
  data = save("project", data.project_digest, {{"agent.compaction.provider", "\"\""}});
  EXPECT_EQ(data.refused_key, key);
}

TEST_F(SettingsLoadTest, RefusesBoundsUnknownKeysSecretsAndWhatOthersChanged) {
  SettingsData data = get<SettingsData>("settings");
  EXPECT_EQ(save("global", data.global_digest, {{"agent.compaction.auto.threshold_percent", "101"}}).refused_key,
            "agent.compaction.auto.threshold_percent");
  EXPECT_EQ(save("global", data.global_digest, {{"agent.contxt.enabled", "true"}}).refused_key, "agent.contxt.enabled");
  EXPECT_EQ(save("project", data.project_digest, {{"sessions.retention_days", "7"}}).refused_key,
            "sessions.retention_days");
  EXPECT_NE(
      save("global", data.global_digest, {{"model", "\"sk-ant-api03-" + std::string(95, 'A') + "\""}}).refused_why, "");
  spill(source_.home.settings(), R"({"model":"theirs"})");
  EXPECT_THAT(save("global", data.global_digest, {{"model", "\"mine\""}}).refused_why, HasSubstr("has changed"));
  EXPECT_EQ(slurp(source_.home.settings()), R"({"model":"theirs"})");
  spill(source_.home.settings(), "{");
  EXPECT_FALSE(load("settings").data);
}

}  // namespace
}  // namespace magi::code::tui
