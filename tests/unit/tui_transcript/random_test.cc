// Events and actions in any order: nothing crashes, and what is shown is what fresh eyes would see.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "tests/unit/tui_transcript/drawn.h"
#include "tests/unit/tui_transcript/events.h"

namespace magi::code::tui {
namespace {

class Player {
 public:
  explicit Player(unsigned seed) : random_(seed) {}

  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  std::string id() { return "c" + std::to_string(number(1, 8)); }
  std::string words() {
    static const char* const kWords[] = {
        "word ",  "**bold** ", "\n",    "\n\n",  "- item\n", "```\n", "| a | b |\n|---|---|\n",
        "日本語", "\x1b[2J",   "# h\n", "> q\n", "1. x\n",   "\t",    "long-long-long-word-here "};
    std::string text;
    for (int i = number(0, 12); i > 0; --i) text += kWords[number(0, std::size(kWords) - 1)];
    return text;
  }

  std::function<void(Transcript&)> event() {
    switch (number(0, 18)) {
      case 0: return [text = words()](Transcript& to) { to.prompt(text); };
      case 1: return [id = id(), text = words()](Transcript& to) { to.steering(id, text); };
      case 2: return [id = id()](Transcript& to) { to.delivered(delivered(id)); };
      case 3: return [id = id()](Transcript& to) { to.recalled(id); };
      case 4:
        return [id = id(), text = words()](Transcript& to) {
          to.tool_call(call(id, "bash", "{\"command\":\"" + text.substr(0, 2) + "\"}"));
        };
      case 5:
        return [id = id(), text = words()](Transcript& to) {
          to.tool_call(call(id, "edit", R"({"path":"a","old_text":"x\ny","new_text":"x\nz"})"));
        };
      case 6: return [id = id(), text = words()](Transcript& to) { to.tool_progress(progress(id, text, "grep")); };
      case 7:
        return [id = id(), text = words(), bad = number(0, 1)](Transcript& to) {
          to.tool_result(answer(id, bad ? "error" : "success", text));
        };
      case 8: return [text = words()](Transcript& to) { to.reasoning(text); };
      case 9:
        return [k = number(0, 3)](Transcript& to) {
          to.turn({"t", k == 0 ? "completed" : k == 1 ? "failed" : k == 2 ? "cancelled" : "started"});
        };
      case 10:
        return [k = number(0, 2), text = words()](Transcript& to) {
          to.compaction(compaction(k == 0 ? "started" : k == 1 ? "completed" : "failed", text));
        };
      case 11: return [text = words()](Transcript& to) { to.note("warning", text); };
      case 12: return [text = words()](Transcript& to) { to.automatic_user_prompt({"reason", text}); };
      default: return [text = words()](Transcript& to) { to.text(text); };
    }
  }

  std::function<void(Transcript&)> fold() {
    switch (number(0, 2)) {
      case 0: return [](Transcript& to) { to.fold_all(true); };
      case 1: return [](Transcript& to) { to.fold_all(false); };
      default: return [](Transcript& to) { to.clear_focus(), (void)to.toggle_fold(); };
    }
  }

  // What changes the view only.
  void look(Transcript& to) {
    switch (number(0, 17)) {
      case 0: return to.layout(number(1, 120), number(1, 50));
      case 1: return to.scroll_lines(number(-30, 30));
      case 2: return to.scroll_pages(number(-3, 3));
      case 3: return to.scroll_to_top();
      case 4: return to.scroll_to_end();
      case 5: return to.jump_prompt(number(0, 1) ? 1 : -1);
      case 6: return to.focus_next(number(0, 1) ? 1 : -1);
      case 7: return to.focus_at(number(-1, 50));
      case 8: return (void)to.open_card();
      case 9: return to.close_card();
      case 10: return to.copy_begin();
      case 11: return to.copy_move(number(-20, 20));
      case 12: return (void)to.selected_text();
      case 13: return to.copy_end();
      case 14: return to.spin(static_cast<std::uint64_t>(number(0, 99)));
      case 15: return to.copy_move_to(number(-1, 50));
      case 16: return to.now(number(0, 100'000));
      default: return (void)to.card_text();
    }
  }

 private:
  std::mt19937 random_;
};

void check_view(Transcript& transcript, Player& player) {
  const int columns = player.number(1, 100), rows = player.number(1, 30);
  transcript.layout(columns, rows);
  (void)rows_of(transcript, columns, rows);
  const TranscriptPlace place = transcript.place();
  ASSERT_GE(place.first_line, 0);
  ASSERT_GE(place.lines, place.first_line);
}

TEST(Random, EventsAndActionsInAnyOrder) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Player player(seed);
    Transcript watched, fresh;
    for (int i = 0; i < 150; ++i) {
      if (player.number(0, 2) > 0) {
        const auto step = player.number(0, 9) == 0 ? player.fold() : player.event();
        watched.clear_focus();
        step(watched);
        step(fresh);
      } else {
        player.look(watched);
      }
      if (i % 7 == 0) {
        ASSERT_NO_FATAL_FAILURE(check_view(watched, player));
      }
    }
    watched.close_card();
    watched.copy_end();
    watched.clear_focus();
    for (const int columns : {20, 80, 200}) {
      fresh.layout(columns, 10);
      watched.layout(columns, 10);
      ASSERT_EQ(watched.count_lines(), fresh.count_lines()) << columns;
    }
    watched.search("w");
    watched.search("wor");
    const std::int64_t matches = watched.search_status().matches;
    for (std::int64_t i = 1; i <= std::min<std::int64_t>(matches, 20); ++i) {
      ASSERT_EQ(watched.search_status().current, (watched.search_status().current - 1) % matches + 1);
      watched.search_step(1);
      ASSERT_NO_FATAL_FAILURE(check_view(watched, player));
    }
  }
}

// Seen line by line from the top, each line comes once and in order (TUI-03).
TEST(Random, ScrollingShowsEachLineOnce) {
  for (unsigned seed = 100; seed <= 130; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Player player(seed);
    Transcript transcript;
    for (int i = 0; i < 80; ++i) player.event()(transcript);
    for (int i = 0; i < 20; ++i) ASSERT_NO_FATAL_FAILURE(check_view(transcript, player));
    const std::string expected = whole(transcript, 50);
    transcript.layout(50, 3);
    transcript.scroll_to_top();
    std::string seen;
    const auto lines = transcript.count_lines();
    for (std::int64_t i = 0; i < lines; ++i) {
      transcript.layout(50, 1);
      const auto rows = rows_of(transcript, 50, 1);
      seen += (rows.empty() ? "" : rows[0]) + "\n";
      transcript.scroll_lines(1);
    }
    while (seen.ends_with("\n\n")) seen.pop_back();
    std::string wanted = expected;
    while (wanted.ends_with("\n\n")) wanted.pop_back();
    ASSERT_EQ(seen, wanted);
  }
}

}  // namespace
}  // namespace magi::code::tui
