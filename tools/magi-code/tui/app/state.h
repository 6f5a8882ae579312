// All that the interface knows.  reduce.h alone changes it, view.h alone draws it; neither does I/O.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/magi-code/tui/app/approval.h"
#include "tools/magi-code/tui/app/areas.h"
#include "tools/magi-code/tui/app/engine_event.h"
#include "tools/magi-code/tui/editor/editor.h"
#include "tools/magi-code/tui/panel/panels.h"
#include "tools/magi-code/tui/transcript/transcript.h"

namespace magi::code::tui {

enum class Phase : std::uint8_t {
  kOpening,  // a session is being opened; what is typed waits
  kIdle,
  kRunning,     // a turn
  kCompacting,  // by hand
  kClosed,      // no session could be opened
};

// The session that is open, as the border shows it.
struct SessionFacts {
  std::string id, provider, model, permissions, cwd, instructions;
  bool stored = false;
};

struct RunFacts {
  std::int64_t started_ms = 0;
  std::int64_t input_tokens = 0, output_tokens = 0;  // of this turn, as reported
  std::int64_t streamed_bytes = 0;                   // of the answer that comes: what is not reported yet
};

// Input that waits for the next boundary of the running turn.
struct WaitingInput {
  std::string action_id, text;
};

// One line above the prompt; it goes by itself.
struct Notice {
  std::string text;
  bool is_error = false;
  std::int64_t until_ms = 0;
};

struct State {
  Transcript transcript;
  Editor editor;
  std::unique_ptr<Panel> panel;
  std::string panel_name;
  std::shared_ptr<PanelMemory> panel_memory = std::make_shared<PanelMemory>();
  std::deque<ApprovalCard> approvals;    // the first one is shown
  std::optional<ApprovalCard> answered;  // the last one, until its answer has had an effect
  std::deque<WaitingInput> waiting;      // oldest first
  std::vector<WaitingInput> early;       // prompts typed before the session was there, to be shown again behind it
  Phase phase = Phase::kOpening;
  SessionFacts session;
  RunFacts run;
  std::optional<ContextReport> context;
  std::string context_unknown;  // why there is no `context`
  std::optional<Notice> notice;
  config::InterfaceSettings settings;
  std::vector<std::string> themes;
  std::string saved_theme;  // as the settings have it

  bool transcript_has_keys = false;
  std::optional<std::string> search;  // being typed
  std::shared_ptr<const Candidates> files, skills;
  bool files_wanted = false;
  std::string local_call;  // the `!command` that runs; empty: none

  bool terminal_focused = true;
  int columns = 80, rows = 24;
  std::int64_t now_ms = 0;           // monotonic
  std::int64_t last_key_ms = 0;      // -
  std::int64_t leave_armed_ms = -1;  // Ctrl-C was pressed with nothing to stop: once more leaves
  std::int64_t next_action = 1;
  Areas areas;           // of the last view
  int pressed_row = 0;   // of the transcript, where the mouse was pressed
  bool dragged = false;  // since then
};

}  // namespace magi::code::tui
