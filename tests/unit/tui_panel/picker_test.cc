#include "tools/magi-code/tui/panel/picker.h"

#include <gmock/gmock.h>

#include <chrono>
#include <ctime>

#include "tests/unit/tui_panel/sample_data.h"
#include "tools/magi-code/tui/panel/fuzzy.h"

namespace magi::code::tui {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

TEST(Fuzzy, FindsWordsInAnyOrderThenLetters) {
  const auto fits = [](std::string_view query, std::string_view label, std::string_view extra = {}) {
    return FuzzyQuery(query).score(folded(label), folded(extra));
  };
  EXPECT_TRUE(fits("", "anything"));
  EXPECT_TRUE(fits("parser mend", "Mend the parser"));
  EXPECT_TRUE(fits("MP", "Mend the parser"));
  EXPECT_TRUE(fits("lose", "Mend the parser", "it loses a line"));
  EXPECT_FALSE(fits("xyz", "Mend the parser", "it loses a line"));
  EXPECT_GT(*fits("parser", "parser"), *fits("parser", "a sparser one"));
  EXPECT_GT(*fits("mend", "Mend the parser"), *fits("mend", "the rest", "mend"));
  EXPECT_GT(*fits("mend", "the rest", "mend"), *fits("mend", "many ends"));
}

TEST(Fuzzy, SaysWhatItMatched) {
  using Spans = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(FuzzyQuery("the men").matches("mend the parser"), (Spans{{0, 3}, {5, 8}}));
  EXPECT_EQ(FuzzyQuery("mp").matches("mend the parser"), (Spans{{0, 1}, {9, 10}}));
}

std::unique_ptr<Panel> sessions() {
  auto panel = make_panel("sessions", {}, context());
  panel->opened();
  panel->take(loaded("sessions", sample_sessions()));
  return panel;
}

TEST(Sessions, AskForOnePreviewAtATime) {
  auto panel = make_panel("sessions", {}, context());
  panel->opened();
  const Effects first = panel->take(loaded("sessions", sample_sessions())).effects;
  ASSERT_NE(find_effect<Load>(first), nullptr);
  EXPECT_EQ(find_effect<Load>(first)->key, "s3");
  EXPECT_EQ(find_effect<Load>(panel->key(code(KeyCode::kDown)).effects), nullptr);
  EXPECT_EQ(find_effect<Load>(panel->key(code(KeyCode::kDown)).effects), nullptr);
  // The answer comes late; what is asked for next is what is selected now.
  const Effects next = panel->take(loaded("sessions", sample_preview(), "s3")).effects;
  ASSERT_NE(find_effect<Load>(next), nullptr);
  EXPECT_EQ(find_effect<Load>(next)->key, "s1");
}

TEST(Sessions, NarrowByTitleAndFirstPrompt) {
  auto panel = sessions();
  type(*panel, "tokenizer");
  EXPECT_THAT(screen(*panel, 60, 10), HasSubstr("write tests for the tokenizer"));
  EXPECT_THAT(screen(*panel, 60, 10), Not(HasSubstr("Mend the parser")));
  panel->key(ctrl('u'));
  type(*panel, "last line");  // only in a first prompt
  EXPECT_THAT(screen(*panel, 60, 10), HasSubstr("Mend the parser"));
  type(*panel, " zzz");
  EXPECT_THAT(screen(*panel, 60, 10), HasSubstr("nothing fits"));
}

TEST(Sessions, OpenAndFork) {
  auto panel = sessions();
  const PanelAnswer opened = panel->key(code(KeyCode::kEnter));
  EXPECT_TRUE(opened.close);
  ASSERT_NE(find_effect<OpenSession>(opened.effects), nullptr);
  EXPECT_EQ(find_effect<OpenSession>(opened.effects)->id, "s3");
  EXPECT_FALSE(find_effect<OpenSession>(opened.effects)->fork);
  const PanelAnswer forked = panel->key(ctrl('f'));
  ASSERT_NE(find_effect<OpenSession>(forked.effects), nullptr);
  EXPECT_TRUE(find_effect<OpenSession>(forked.effects)->fork);
  // The one that is open stays as it is.
  panel->key(code(KeyCode::kDown));
  EXPECT_TRUE(panel->key(code(KeyCode::kEnter)).effects.empty());
}

TEST(Sessions, RenameWithWhatIsTyped) {
  auto panel = sessions();
  panel->key(ctrl('r'));
  EXPECT_THAT(screen(*panel, 60, 10), HasSubstr("Title: Mend the parser"));
  type(*panel, "!");
  const PanelAnswer renamed = panel->key(code(KeyCode::kEnter));
  ASSERT_NE(find_effect<RenameSession>(renamed.effects), nullptr);
  EXPECT_EQ(find_effect<RenameSession>(renamed.effects)->title, "Mend the parser!");
  panel->key(ctrl('r'));
  EXPECT_FALSE(panel->key(code(KeyCode::kEscape)).close);  // leaves the line alone
  EXPECT_TRUE(panel->key(code(KeyCode::kEscape)).close);
}

TEST(Sessions, DeleteOnlyWhatWasConfirmedAndNotTheOpenOne) {
  auto panel = sessions();
  panel->key(ctrl('d'));
  EXPECT_THAT(screen(*panel, 80, 10), HasSubstr("Delete \"Mend the parser\""));
  EXPECT_TRUE(panel->key(text_key("n")).effects.empty());
  panel->key(ctrl('d'));
  const PanelAnswer removed = panel->key(text_key("y"));
  ASSERT_NE(find_effect<DeleteSession>(removed.effects), nullptr);
  EXPECT_EQ(find_effect<DeleteSession>(removed.effects)->id, "s3");
  panel->key(code(KeyCode::kDown));
  panel->key(ctrl('d'));
  EXPECT_THAT(screen(*panel, 80, 10), HasSubstr("cannot be deleted"));
  EXPECT_TRUE(panel->key(text_key("y")).effects.empty());
}

TEST(Sessions, KeepTheListWhenSomethingFails) {
  auto panel = sessions();
  panel->take(failed("sessions", "session 's3' is in use", "delete"));
  EXPECT_THAT(screen(*panel, 80, 10), HasSubstr("session 's3' is in use"));
  EXPECT_THAT(screen(*panel, 80, 10), HasSubstr("Mend the parser"));
}

// User time of narrowing and drawing 20,000 sessions, against that of making them: a machine's speed does not matter.
TEST(Sessions, StayQuickWhenThereAreMany) {
  SessionsData data;
  data.now_ms = kNow;
  const std::clock_t begun = std::clock();
  for (int i = 0; i < 20'000; ++i) {
    std::string prompt = "prompt " + std::to_string(i) + ' ';
    for (int j = 0; j < 60; ++j) prompt += "word" + std::to_string((i * 7 + j) % 997) + ' ';
    data.rows.push_back({"s" + std::to_string(i), "Title number " + std::to_string(i), prompt, "/home/me", "m",
                         kNow - i * 1000LL, 100, true});
  }
  const std::clock_t made = std::clock() - begun;
  auto panel = make_panel("sessions", {}, context());
  panel->take(loaded("sessions", std::move(data)));
  const std::clock_t start = std::clock();
  for (const char c : std::string_view("title 199")) {
    panel->key(text_key(std::string(1, c)));
    (void)screen(*panel, 80, 24);
  }
  EXPECT_THAT(screen(*panel, 80, 24), HasSubstr("Title number 199"));
  const std::clock_t used = std::clock() - start;
  RecordProperty("milliseconds_a_key", static_cast<int>(used * 1000 / CLOCKS_PER_SEC / 9));
  EXPECT_LT(used, 20 * made);
}

TEST(Models, AreChosenMarkedAndTyped) {
  auto panel = make_panel("model", {}, context());
  panel->take(loaded("model", sample_models()));
  EXPECT_THAT(screen(*panel, 60, 10), HasSubstr("* openai  gpt-5 "));
  panel->key(code(KeyCode::kDown));
  const PanelAnswer chosen = panel->key(code(KeyCode::kEnter));
  ASSERT_NE(find_effect<ChooseModel>(chosen.effects), nullptr);
  EXPECT_EQ(find_effect<ChooseModel>(chosen.effects)->model, "gpt-5-mini");
  type(*panel, "sonnet");
  EXPECT_FALSE(panel->key(code(KeyCode::kEnter)).close);  // there is no key for it
  EXPECT_THAT(screen(*panel, 80, 10), HasSubstr("ANTHROPIC_API_KEY"));
  panel->key(ctrl('u'));
  type(*panel, "local/qwen4-unheard");
  const PanelAnswer typed = panel->key(code(KeyCode::kEnter));
  ASSERT_NE(find_effect<ChooseModel>(typed.effects), nullptr);
  EXPECT_EQ(find_effect<ChooseModel>(typed.effects)->provider, "local");
  EXPECT_EQ(find_effect<ChooseModel>(typed.effects)->model, "qwen4-unheard");
}

TEST(Themes, AreSeenAtOnceAndTakenBack) {
  auto panel = make_panel("theme", {}, context());
  panel->opened();
  const Effects moved = panel->key(code(KeyCode::kDown)).effects;
  ASSERT_NE(find_effect<ChooseTheme>(moved), nullptr);
  EXPECT_EQ(find_effect<ChooseTheme>(moved)->name, "light");
  const PanelAnswer closed = panel->key(code(KeyCode::kEscape));
  ASSERT_NE(find_effect<ChooseTheme>(closed.effects), nullptr);
  EXPECT_EQ(find_effect<ChooseTheme>(closed.effects)->name, "dark");
}

TEST(Files, AreNamedInThePrompt) {
  auto panel = make_panel("files", {}, context());
  panel->take(loaded("files", sample_files()));
  const PanelAnswer named = panel->key(code(KeyCode::kEnter));
  ASSERT_NE(find_effect<InsertText>(named.effects), nullptr);
  EXPECT_EQ(find_effect<InsertText>(named.effects)->text, "@src/parser.cc ");
}

}  // namespace
}  // namespace magi::code::tui
