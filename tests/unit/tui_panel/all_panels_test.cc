// What holds for every panel.
#include <gmock/gmock.h>

#include <random>

#include "tests/unit/tui_panel/sample_data.h"
#include "tools/magi-code/tui/panel/command_table.h"

namespace magi::code::tui {
namespace {

using namespace test;

TEST(AllPanels, LookAsTheyShouldInAnySize) {
  for (const SamplePanel& sample : sample_panels()) expect_screens(*sample.panel, sample.name);
}

TEST(AllPanels, SayThatTheyLoadAndWhatFailed) {
  for (const std::string name : {"sessions", "model", "rewind", "settings", "changes", "diff", "activities", "files",
                                 "usage", "doctor", "system-prompt", "context"}) {
    auto panel = make_panel(name, {}, context());
    const Effects opened = panel->opened();
    ASSERT_EQ(opened.size(), 1u) << name;
    EXPECT_EQ(std::get<Load>(opened[0]).panel, name);
    EXPECT_THAT(screen(*panel, 60, 12),
                testing::AnyOf(testing::HasSubstr("loading..."), testing::HasSubstr("looking at")))
        << name;
    panel->take(failed(name, "the disk is gone"));
    EXPECT_THAT(screen(*panel, 60, 12), testing::HasSubstr("the disk is gone")) << name;
  }
}

TEST(AllPanels, SayWhenThereIsNothing) {
  const std::vector<std::pair<Loaded, std::string>> cases = {
      {loaded("sessions", SessionsData()), "no sessions yet"},
      {loaded("model", ModelsData()), "no catalog yet"},
      {loaded("rewind", RewindPoints()), "this session holds no prompt yet"},
      {loaded("changes", LedgerData()), "no tool has changed a file"},
      {loaded("diff", WorktreeData()), "the working tree is as HEAD has it"},
      {loaded("activities", ActivitiesData()), "nothing has happened yet"},
      {loaded("files", TouchedFiles()), "no file was read or changed yet"},
      {loaded("usage", UsageData()), "no request has been counted yet"},
      {loaded("doctor", TextData()), "empty"}};
  for (const auto& [data, text] : cases) {
    auto panel = make_panel(data.panel, {}, context());
    panel->take(data);
    EXPECT_THAT(screen(*panel, 60, 12), testing::HasSubstr(text)) << data.panel;
  }
}

TEST(AllPanels, IgnoreWhatIsMeantForOthers) {
  for (const SamplePanel& sample : sample_panels()) {
    const std::string before = screen(*sample.panel, 80, 24);
    for (const SamplePanel& other : sample_panels())
      if (other.name != sample.name) sample.panel->take(failed(other.name, "not yours"));
    sample.panel->take(loaded("nobody", UsageData()));
    EXPECT_EQ(screen(*sample.panel, 80, 24), before) << sample.name;
  }
}

TEST(AllPanels, CloseAtOneEscape) {
  for (const SamplePanel& sample : sample_panels()) {
    const PanelAnswer answer = sample.panel->key(code(KeyCode::kEscape));
    EXPECT_TRUE(answer.close) << sample.name;
    for (const Effect& effect : answer.effects)
      EXPECT_TRUE(std::holds_alternative<Notify>(effect) || std::holds_alternative<ChooseTheme>(effect)) << sample.name;
  }
}

TEST(AllPanels, DrawNothingThatMovesTheCursor) {
  for (const SamplePanel& sample : sample_panels())
    for (const char c : screen(*sample.panel, 80, 24))
      EXPECT_FALSE((c >= 0 && c < ' ' && c != '\n') || c == 0x7f) << sample.name;
}

Key random_key(std::mt19937& random) {
  static const std::vector<std::string> kTexts = {"a",         "c",
                                                  "d",         "e",
                                                  "x",         "y",
                                                  "n",         "p",
                                                  "q",         "s",
                                                  "/",         "]",
                                                  "[",         "f",
                                                  "1",         " ",
                                                  "\xc3\xa9",  "\xe6\x97\xa5",
                                                  "e\xcc\x81", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9"};
  Key key;
  if (random() % 2 == 0) {
    key.code = static_cast<KeyCode>(random() % 15);
  }
  if (key.code == KeyCode::kText) key.text = kTexts[random() % kTexts.size()];
  if (random() % 5 == 0 && (key.code != KeyCode::kText || key.text.size() == 1)) key.ctrl = true;
  key.alt = random() % 12 == 0;
  key.shift = random() % 8 == 0;
  return key;
}

// Whatever is pressed, pasted, clicked and loaded, in windows of any size: nothing breaks, and Escape leads out.
TEST(AllPanels, SurviveAnyInput) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int round = 0; round < 30; ++round) {
    for (SamplePanel& sample : sample_panels()) {
      SCOPED_TRACE(sample.name);
      Panel& panel = *sample.panel;
      for (int step = 0; step < 60; ++step) {
        const int rows = static_cast<int>(random() % 30), columns = static_cast<int>(random() % 100);
        PanelAnswer answer;
        switch (random() % 12) {
          case 0: answer = panel.paste({"some\ntext\x1b[2J\t\xff"}); break;
          case 1:
            answer = panel.mouse({static_cast<Mouse::Kind>(random() % 5), static_cast<int>(random() % 100),
                                  static_cast<int>(random() % 30)},
                                 {0, 0, rows, columns});
            break;
          case 2: (void)panel.opened(); break;
          default: answer = panel.key(random_key(random));
        }
        Surface surface(std::max(rows, 1), std::max(columns, 1));
        panel.draw(surface, {0, 0, rows, columns});
      }
      int escapes = 0;
      while (!panel.key(code(KeyCode::kEscape)).close) ASSERT_LT(++escapes, 3);
    }
  }
}

TEST(Commands, AreFoundByNameAndAlias) {
  for (const SlashCommand& command : slash_commands()) {
    EXPECT_EQ(find_command(command.name), &command);
    if (command.kind != CommandKind::kPanel) continue;
    const std::string_view panel = command.panel.empty() ? command.name : command.panel;
    EXPECT_NE(make_panel(panel, {}, context()), nullptr) << command.name;
  }
  ASSERT_NE(find_command("exit"), nullptr);
  EXPECT_EQ(find_command("exit")->name, "quit");
  EXPECT_EQ(find_command("nothing"), nullptr);
  EXPECT_EQ(make_panel("nothing", {}, context()), nullptr);
}

// The commands that the interface must have.
TEST(Commands, AreAllThere) {
  for (const char* name :
       {"sessions", "rewind", "model", "settings", "help", "login", "logout", "new", "compact", "context", "export",
        "prune-sessions", "changes", "usage", "system-prompt", "theme", "quit", "doctor"})
    EXPECT_NE(find_command(name), nullptr) << name;
}

}  // namespace
}  // namespace magi::code::tui
