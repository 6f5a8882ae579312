// One sample of what each panel shows.
#pragma once

#include "tests/unit/tui_panel/panel_support.h"

namespace magi::code::tui::test {

inline constexpr std::int64_t kNow = 1'790'000'000'000;

inline SessionsData sample_sessions() {
  SessionsData data;
  data.now_ms = kNow;
  data.rows = {{"s3", "Mend the parser", "the parser loses its last line", "/home/me/work", "openai gpt-5",
                kNow - 120'000, 20'480, true},
               {"s2", "", "write tests for the tokenizer\nall of them", "/home/me/work", "openai gpt-5",
                kNow - 3 * 3'600'000, 900, true},
               {"s1", "Notes on \x1b]0;evil\x07 titles \xe2\x80\xae tricks", "read", "/home/me/other",
                "anthropic claude", kNow - 40LL * 86'400'000, 3'000'000, false}};
  return data;
}

inline SessionPreview sample_preview() {
  return {
      "s3", {{true, "the parser loses its last line"}, {false, "I found it:\nthe buffer was never flushed."}}, false};
}

inline ModelsData sample_models() {
  ModelsData data;
  data.rows = {{"openai", "gpt-5", 400'000, ""},
               {"openai", "gpt-5-mini", 400'000, ""},
               {"local", "qwen3", std::nullopt, ""},
               {"anthropic", "claude-sonnet-4-5", 200'000, "no key: ANTHROPIC_API_KEY is not set"}};
  return data;
}

inline RewindPoints sample_points() {
  RewindPoints data;
  data.now_ms = kNow;
  data.points = {{"e1", "t1", "make a parser", kNow - 7'200'000, 0, false, {"src/parser.cc", "src/parser.h"}},
                 {"e2", "t2", "mend the\nparser", kNow - 600'000, 2, false, {"src/parser.cc"}},
                 {"e3", "rewind-1", "", kNow - 60'000, 0, true, {"src/parser.cc"}}};
  return data;
}

inline RewindPlan sample_plan(bool force) {
  RewindPlan plan;
  plan.event_id = "e2";
  plan.force = force;
  plan.shell_calls = 2;
  plan.files = {{"src/parser.cc", "restore", ""},
                {"src/parser.h", force ? "restore" : "conflict", "changed since by someone else"}};
  return plan;
}

inline LedgerData sample_ledger() {
  LedgerData data;
  data.now_ms = kNow;
  data.turns = {{"t1",
                 "e1",
                 "make a parser",
                 kNow - 7'200'000,
                 0,
                 false,
                 true,
                 {{"src/parser.cc", "created", 3}, {"src/parser.h", "created", 1}}},
                {"t2",
                 "e2",
                 "mend it",
                 kNow - 600'000,
                 2,
                 false,
                 true,
                 {{"src/parser.cc", "modified", 1}, {"old.txt", "deleted", 1}}},
                {"t0", "", "", 0, 0, false, false, {{"a", "transient", 2}}}};
  return data;
}

inline WorktreeData sample_worktree() {
  WorktreeData data;
  data.root = "/home/me/work";
  DiffFile parser;
  parser.path = "src/parser.cc";
  parser.status = "modified";
  parser.added = 2;
  parser.removed = 1;
  parser.patch = "@@ -1,5 +1,6 @@ void parse()\n int a;\n-int b;\n+int c;\n+int d;\n int e;\n int f;\n int g;\n";
  DiffFile made;
  made.path = "notes \xe6\x97\xa5\xe6\x9c\xac.txt";
  made.status = "untracked";
  made.added = 1;
  made.patch = "@@ -0,0 +1,1 @@\n+hello \x1b[31mworld\n";
  DiffFile picture;
  picture.path = "logo.png";
  picture.status = "added";
  picture.binary = true;
  data.files = {parser, made, picture};
  data.comments = {{"c1", "src/parser.cc", "new", "int d;", "why both?", 3, false},
                   {"c2", "src/parser.cc", "old", "int b;", "who used it?", 2, true},
                   {"c3", "gone.cc", "new", "x", "look at this", 0, false}};
  return data;
}

inline SettingsData sample_settings() {
  SettingsData data;
  const auto row = [&](std::string key, SettingRow::Kind kind, std::string meaning,
                       std::string standard) -> SettingRow& {
    SettingRow made;
    made.group = key.substr(0, key.find('.'));
    made.key = std::move(key);
    made.kind = kind;
    made.meaning = std::move(meaning);
    made.standard = std::move(standard);
    data.rows.push_back(std::move(made));
    return data.rows.back();
  };
  row("provider", SettingRow::Kind::kText, "Provider used without --provider.", "").global = "\"openai\"";
  SettingRow& reserve =
      row("agent.context.reserve_tokens", SettingRow::Kind::kInteger, "Tokens kept free for the answer.", "16384");
  reserve.most = 1'000'000'000;
  reserve.project = "8000";
  SettingRow& percent =
      row("agent.compaction.auto.threshold_percent", SettingRow::Kind::kIntegerOrNull, "Compact at this share.", "80");
  percent.least = 1;
  percent.most = 100;
  row("agent.compaction.claude_subscription.allow_compaction", SettingRow::Kind::kBoolean,
      "Let claude-subscription write its own summaries.", "true");
  SettingRow& mode = row("permissions.mode", SettingRow::Kind::kChoice, "What tools may do.", "\"workspace\"");
  mode.choices = {"workspace", "ask", "read-only", "full"};
  mode.only_global = true;
  data.global_path = "/home/me/.magi-code/settings.json";
  data.project_path = "/home/me/work/.magi-code/settings.json";
  data.global_digest = "g1";
  data.project_digest = "p1";
  return data;
}

inline ActivitiesData sample_activities() {
  ActivitiesData data;
  data.now_ms = kNow;
  data.rows = {{0, "t1", "make a parser", "", "completed", kNow - 90'000, kNow - 60'000},
               {1, "a", "write", "src/parser.cc", "success", kNow - 80'000, kNow - 79'950},
               {1, "b", "bash", "make test", "error", kNow - 70'000, kNow - 65'000},
               {0, "t2", "mend it", "", "running", kNow - 10'000, 0},
               {1, "c", "code", "", "running", kNow - 9'000, 0},
               {2, "d", "read", "src/parser.cc", "success", kNow - 8'000, kNow - 7'990}};
  return data;
}

inline TouchedFiles sample_files() {
  return {{{"src/parser.cc", 3, 2, 1, "modified"}, {"README.md", 1, 0, 0, ""}, {"old.txt", 0, 0, 0, "deleted"}}};
}

inline UsageData sample_usage() {
  return {
      {{"openai", "gpt-5", 12, 123'456, 100'000, 0, 4'321, 1'000}, {"anthropic", "claude", 1, 1'000, 0, 500, 20, 0}}};
}

struct SamplePanel {
  std::string name;
  std::unique_ptr<Panel> panel;
};

// Every panel with its data.
inline std::vector<SamplePanel> sample_panels() {
  std::vector<SamplePanel> panels;
  const auto add = [&](const std::string& name, std::vector<Loaded> data) {
    auto panel = make_panel(name, {}, context());
    panel->opened();
    for (const Loaded& each : data) panel->take(each);
    panels.push_back({name, std::move(panel)});
  };
  add("sessions", {loaded("sessions", sample_sessions()), loaded("sessions", sample_preview(), "s3")});
  add("model", {loaded("model", sample_models())});
  add("rewind", {loaded("rewind", sample_points())});
  add("theme", {});
  add("settings", {loaded("settings", sample_settings())});
  add("changes", {loaded("changes", sample_ledger())});
  add("diff", {loaded("diff", sample_worktree())});
  add("activities", {loaded("activities", sample_activities())});
  add("files", {loaded("files", sample_files())});
  add("help", {});
  add("usage", {loaded("usage", sample_usage())});
  add("doctor", {loaded("doctor", TextData{{}, "ok    magi-code 0.1.0\nnote  no key\n"})});
  add("system-prompt",
      {loaded("system-prompt", TextData{{}, "You are a coding agent.\n\tBe \x1b[31mcareful\x1b[0m.\n"})});
  add("context", {loaded("context", TextData{{}, "context window  400,000 tokens\n"})});
  panels.push_back({"text", make_text_panel("A text", "one\ntwo\n")});
  return panels;
}

}  // namespace magi::code::tui::test
