// Random actions and events against a model of the state.  MAGI_TUI_STEPS: how many (20,000); MAGI_TUI_SEED: from
// where.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/unit/tui_app/fake_engine.h"
#include "tests/unit/tui_screen/vterm.h"
#include "tools/magi-code/tui/app/view.h"
#include "tools/magi-code/tui/screen/painter.h"

namespace magi::code::tui {
namespace {

unsigned long number_of(const char* variable, unsigned long otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

// Characters on whose columns the emulator and the interface agree.
constexpr const char* kWords[] = {
    "word",   "a",         "日本", "漢字かな", "x_y",  "**bold**",          "`code`", "# h", "\n", "\n\n",
    "- item", "| a | b |", "```",  "\x1b[2J",  "\x07", "https://x.example", "é",      "ü",   "\t", "\r"};

class World {
 public:
  explicit World(unsigned long seed)
      : random_(seed), emulator_(std::make_unique<magi::test::Emulator>(24, 80)), painter_(capabilities(), Theme()) {
    state_.settings.reduced_motion = true;
    (void)reduce(state_, InputEvent(Resize{80, 24}));
  }

  void step() {
    advance(state_, state_.now_ms + pick(60));
    if (pick(100) < 55)
      tell(reduce(state_, input()));
    else
      happen();
    settle();
    check();
    if (pick(8) == 0) show();
    if (pick(5000) == 0) start_over();
  }

 private:
  static Capabilities capabilities() {
    Capabilities known = known_capabilities({"xterm-256color", {}, {}, {}, false});
    known.synchronized_output = true;
    return known;
  }
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string text(int words) {
    std::string out;
    for (int n = 0; n < words; ++n) {
      out += kWords[static_cast<std::size_t>(pick(static_cast<int>(std::size(kWords))))];
      if (pick(2)) out += ' ';
    }
    return out;
  }

  Key key() {
    constexpr KeyCode kCodes[] = {KeyCode::kEnter,     KeyCode::kEnter, KeyCode::kTab,  KeyCode::kEscape,
                                  KeyCode::kBackspace, KeyCode::kUp,    KeyCode::kDown, KeyCode::kPageUp,
                                  KeyCode::kPageDown,  KeyCode::kHome,  KeyCode::kEnd,  KeyCode::kDelete,
                                  KeyCode::kLeft,      KeyCode::kRight, KeyCode::kF1};
    Key key;
    if (pick(3) == 0) {
      key.code = kCodes[static_cast<std::size_t>(pick(static_cast<int>(std::size(kCodes))))];
      key.alt = pick(8) == 0, key.ctrl = pick(8) == 0, key.shift = pick(8) == 0;
      return key;
    }
    constexpr const char* kTexts[] = {"a", "y", "n", "p", "s", "v", "o",  "/", "!", "@", "$",
                                      "#", "j", "k", "G", "g", "[", "日", " ", "q", "c"};
    key.text = kTexts[static_cast<std::size_t>(pick(static_cast<int>(std::size(kTexts))))];
    key.ctrl = pick(10) == 0, key.alt = pick(14) == 0;
    return key;
  }
  InputEvent input() {
    const int kind = pick(100);
    if (kind < 70) return key();
    if (kind < 78) return Paste{text(pick(30))};
    if (kind < 84) return Resize{1 + pick(120), 1 + pick(40)};
    if (kind < 96) return Mouse{static_cast<Mouse::Kind>(pick(5)), pick(state_.columns), pick(state_.rows)};
    return Focus{pick(2) == 0};
  }

  void happen() {
    if (!engine_.is_open()) return pick(3) ? engine_.open() : engine_.fail_to_open();
    if (!engine_.active()) {
      if (pick(4) == 0) tell(submit(state_, pick(6) ? text(4) : "/" + std::string(pick(2) ? "help" : "model")));
      return;
    }
    const int kind = pick(20);
    if (kind < 8) return engine_.say(text(1 + pick(10)));
    if (kind == 19) return engine_.end(pick(3) ? "completed" : "failed");
    if (engine_.open_call().empty())
      return engine_.call(pick(2) ? "bash" : "edit", R"({"command":"ls","path":"a.cc","old_text":"a","new_text":"b"})");
    if (!engine_.asked().empty()) return;
    if (kind < 11) return engine_.progress(text(5) + "\n");
    if (kind < 13) return engine_.ask();
    engine_.result(text(20));
  }

  void tell(const Requests& requests) {
    for (const Request& request : requests)
      if (const auto* task = std::get_if<WorkerTask>(&request))
        if (const auto* local = std::get_if<RunLocally>(task)) local_ = local->call_id;
    engine_.obey(requests);
  }
  void settle() {
    for (std::vector<EngineEvent> events = engine_.events(); !events.empty(); events = engine_.events())
      for (EngineEvent& event : events) tell(reduce(state_, std::move(event)));
    if (local_.empty() || pick(4)) return;
    event::ToolAnswer answer;
    answer.call_id = answer.result_id = local_;
    answer.status = "success";
    tell(reduce(state_, EngineEvent(std::move(answer))));
    tell(reduce(state_, EngineEvent(LocalEnded{std::exchange(local_, {})})));
  }

  // The state says what the model says.
  void check() {
    ASSERT_EQ(state_.phase == Phase::kRunning, engine_.active());
    ASSERT_EQ(state_.waiting.size(), engine_.steering().size());
    for (std::size_t n = 0; n < state_.waiting.size(); ++n)
      ASSERT_EQ(state_.waiting[n].action_id, engine_.steering()[n].action_id);
    ASSERT_EQ(state_.approvals.empty(), engine_.asked().empty());
    ASSERT_EQ(state_.panel != nullptr, !state_.panel_name.empty());
    ASSERT_EQ(state_.local_call, local_);
  }

  // The screen is whole, and the terminal shows it.
  void show() {
    const Surface surface = view(state_);
    ASSERT_EQ(surface.rows(), state_.rows);
    ASSERT_EQ(surface.columns(), state_.columns);
    if (state_.rows != shown_rows_ || state_.columns != shown_columns_) {
      emulator_ = std::make_unique<magi::test::Emulator>(state_.rows, state_.columns);
      painter_.invalidate();
      shown_rows_ = state_.rows, shown_columns_ = state_.columns;
    }
    emulator_->feed(painter_.paint(surface));
    for (int row = 0; row < surface.rows(); ++row)
      for (int column = 0; column < surface.columns(); ++column)
        ASSERT_EQ(emulator_->at(row, column).text, surface.at(row, column).cluster)
            << "row " << row << " column " << column;
  }

  void start_over() {
    state_ = State();
    engine_ = test::FakeEngine();
    local_.clear();
    (void)reduce(state_, InputEvent(Resize{80, 24}));
  }

  std::mt19937_64 random_;
  State state_;
  test::FakeEngine engine_;
  std::string local_;
  std::unique_ptr<magi::test::Emulator> emulator_;
  Painter painter_;
  int shown_rows_ = 24, shown_columns_ = 80;
};

TEST(Interface, RandomActionsAndEventsKeepItsStateAndScreenWhole) {
  const unsigned long seed = number_of("MAGI_TUI_SEED", std::random_device()());
  const unsigned long steps = number_of("MAGI_TUI_STEPS", 20'000);
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  World world(seed);
  for (unsigned long n = 0; n < steps && !testing::Test::HasFatalFailure(); ++n) {
    SCOPED_TRACE("step " + std::to_string(n));
    world.step();
  }
}

}  // namespace
}  // namespace magi::code::tui
