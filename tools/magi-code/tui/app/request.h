// What the interface wants done: reduce() returns these, interface.h carries them out.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/magi-code/tui/panel/effect.h"

namespace magi::code::tui {

// --- For the engine ---
struct Input {  // begins a turn, or steers the one that runs
  std::string text, action_id;
};
struct Recall {
  std::string action_id;  // empty: the newest
};
struct Interrupt {};
struct Compact {
  std::string instructions;
};
struct Measure {};
struct ReloadSettings {};
// Kept with the session: a command of the interface that failed (S4).
struct RecordDiagnostic {
  std::string level, message;
};

using EngineCommand = std::variant<Input, Recall, Interrupt, AnswerApproval, Compact, Measure, OpenSession, ChooseModel,
                                   RewindTo, RenameSession, ReloadSettings, RecordDiagnostic>;

// --- For workers ---
struct RunLocally {  // `!command`
  std::string call_id, command;
};
struct StopLocally {};
struct ListCandidates {  // for `@` and `$`
  char trigger = 0;
};
struct RememberPrompt {
  std::string text;
};
struct TrustProject {};  // exactly what its settings ask for now
struct SaveTheme {       // as ui.theme of the user's settings
  std::string name;
};
struct ExportSession {};
struct PruneSessions {
  std::string days;
};

using WorkerTask = std::variant<Load, SaveSettings, EditComment, RenameSession, DeleteSession, RunLocally, StopLocally,
                                ListCandidates, RememberPrompt, SaveTheme, TrustProject, ExportSession, PruneSessions>;

// --- For the terminal ---
struct EditExternally {
  std::string text;
};
struct RunOnTerminal {  // a tool of ours that talks to the person: a login
  std::string program;
  std::vector<std::string> arguments;
};
struct Suspend {};
struct Redraw {};
struct SetTheme {
  std::string name;
};
struct Announce {  // a long turn has ended unseen
  std::string text;
};
struct Leave {};

using TerminalWish = std::variant<EditExternally, RunOnTerminal, Suspend, Redraw, SetTheme, Announce, CopyText, Leave>;

using Request = std::variant<EngineCommand, WorkerTask, TerminalWish>;
using Requests = std::vector<Request>;

}  // namespace magi::code::tui
