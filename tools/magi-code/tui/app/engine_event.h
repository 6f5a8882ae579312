// What the engine and the workers beside it tell the interface.  Values only: they cross from one thread to another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "libcommon/config/settings.h"
#include "libcommon/event/answers.h"
#include "tools/magi-code/loop/run_records.h"
#include "tools/magi-code/tui/editor/completion.h"
#include "tools/magi-code/tui/panel/data.h"
#include "tools/magi-code/tui/transcript/transcript.h"

namespace magi::code::tui {

struct TextDelta {
  std::string text;
};
struct ReasoningDelta {
  std::string text;
};
// The answer to an approval request could not be taken: the request is open as before.
struct ApprovalRejected {
  std::string call_id, why;
};
// Steering whose turn ended before it could be delivered: the person's again.
struct Undelivered {
  std::string text, action_id;
};
struct Recalled {
  std::string action_id, text;
  bool found = false;
};

// A session is open, or is open anew under another model.
struct SessionOpened {
  std::string id, provider, model, permissions, cwd, instructions;
  std::string draft;  // a prompt to put into the editor: of a conversation that was rewound
  bool stored = false;
  bool same_session = false;            // the transcript stays as it is
  std::unique_ptr<Transcript> history;  // null: it begins empty, or stays
};
// No session is open; what can be done about it is in `advice`.  `unsent` prompts are the person's again.
struct OpenFailed {
  std::string what, advice;
};

// What the next request would carry (the numbers of magi_control and magi-tokens).
struct ContextReport {
  std::int64_t total = 0, max_tokens = 0, usable = 0;
  std::optional<std::int64_t> compaction_cutoff;
  double percent = 0;
  std::string method;
};
struct ContextUnknown {
  std::string why;
};

// A run or a compaction has ended; an empty status: a compaction.
struct RunEnded {
  std::string status, error;
};
struct InterfaceNote {
  std::string level, text;  // "info", "warning", "error"
};
// What `!command` said at its end: the card's call is `call_id`.
struct LocalEnded {
  std::string call_id;
};
// Candidates for a trigger of the prompt editor.
struct Completions {
  char trigger = 0;
  std::shared_ptr<const Candidates> candidates;
};
struct PromptHistory {
  std::vector<std::string> entries;
};
// An external editor has ended: the new text.
struct EditedPrompt {
  std::string text;
};
// The settings are not what they were: later runs go by the new ones.
struct SettingsChanged {};
// The engine has ended by itself: nothing more will come.
struct EngineEnded {
  int status = 0;
};

using EngineEvent =
    std::variant<SessionRecord, TurnRecord, TextDelta, ReasoningDelta, event::Attempt, event::ToolCall,
                 event::ToolProgress, event::ToolAnswer, AutomaticUserPrompt, CompactionRecord, DiagnosticRecord,
                 event::Usage, ApprovalRequest, ApprovalRejected, Delivered, Undelivered, Recalled, SessionOpened,
                 OpenFailed, ContextReport, ContextUnknown, RunEnded, InterfaceNote, LocalEnded, Loaded, Completions,
                 PromptHistory, EditedPrompt, config::InterfaceSettings, SettingsChanged, EngineEnded>;

}  // namespace magi::code::tui
