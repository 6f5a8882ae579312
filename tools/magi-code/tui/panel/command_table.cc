#include "tools/magi-code/tui/panel/command_table.h"

#include <array>
#include <iterator>

namespace magi::code::tui {
namespace {

constexpr CommandKind kPanel = CommandKind::kPanel, kAction = CommandKind::kAction;

constexpr std::array kCommands{
    SlashCommand{"help", "[text]", "keys and commands", kPanel, {}, true},
    SlashCommand{"new", "", "begin another session", kAction, {}, false},
    SlashCommand{"sessions", "[text]", "open, fork, rename or delete a session", kPanel, {}, true},
    SlashCommand{"resume", "[ID]", "go on with a session", kAction, {}, false},
    SlashCommand{"model", "[text]", "choose another model", kPanel, {}, true},
    SlashCommand{"rewind", "", "back to before a prompt: files, conversation or both", kPanel, {}, true},
    SlashCommand{"diff", "", "changes in the working tree, with comments on lines", kPanel, {}, true},
    SlashCommand{"changes", "", "what the session's tools changed, turn by turn", kPanel, {}, true},
    SlashCommand{"activities", "[text]", "turns, tools and children, as a tree", kPanel, {}, true},
    SlashCommand{"files", "[text]", "files that were read, edited and written", kPanel, {}, true},
    SlashCommand{"compact", "[instructions]", "write a summary in place of the older conversation", kAction, {}, false},
    SlashCommand{"context", "", "what fills the context window", kPanel, {}, true},
    SlashCommand{"usage", "", "tokens of this session, by model", kPanel, {}, true},
    SlashCommand{"settings", "[text]", "look at and change settings", kPanel, {}, true},
    SlashCommand{"theme", "", "choose the colours", kPanel, {}, true},
    SlashCommand{"system-prompt", "", "what the model is told first", kPanel, {}, true},
    SlashCommand{"doctor", "", "check the installation, the login and the sandbox", kPanel, {}, true},
    SlashCommand{"export", "", "write the session to one archive", kAction, {}, false},
    SlashCommand{"prune-sessions", "[days]", "delete sessions older than so many days (30)", kAction, {}, false},
    SlashCommand{"login", "[provider]", "log in to an account", kAction, {}, false},
    SlashCommand{"logout", "[provider]", "forget a login", kAction, {}, false},
    SlashCommand{"quit", "", "leave", kAction, {}, true},
};

struct Alias {
  std::string_view name, command;
};
constexpr std::array kAliases{Alias{"exit", "quit"}, Alias{"models", "model"}, Alias{"clear", "new"},
                              Alias{"?", "help"}};

constexpr std::string_view kAnywhere = "Anywhere", kPrompt = "Prompt", kTranscript = "Transcript", kCopy = "Copy mode",
                           kPanels = "Lists", kTexts = "Texts", kDiff = "Changes (/diff)", kSessions = "Sessions",
                           kSettings = "Settings", kApproval = "Approval";

constexpr std::array kKeys{
    KeyHelp{kAnywhere, "Ctrl-C", "leave a panel, clear the prompt, stop the turn; twice: leave"},
    KeyHelp{kAnywhere, "Ctrl-L", "draw the screen anew"},
    KeyHelp{kAnywhere, "Ctrl-Z", "suspend"},
    KeyHelp{kAnywhere, "F1", "this help"},
    KeyHelp{kPrompt, "Enter", "send; while a turn runs: steer"},
    KeyHelp{kPrompt, "Alt-Enter", "a new line (also Shift-Enter, Ctrl-J)"},
    KeyHelp{kPrompt, "Esc", "stop the running turn or command"},
    KeyHelp{kPrompt, "Alt-C", "take back steering that still waits"},
    KeyHelp{kPrompt, "/ @ $ #", "complete commands, files, skills, tags"},
    KeyHelp{kPrompt, "!command", "run a command here; the model does not see it"},
    KeyHelp{kPrompt, "Up Down, Ctrl-R", "earlier prompts, search in them"},
    KeyHelp{kPrompt, "Ctrl-X Ctrl-E, Ctrl-G", "edit in $EDITOR"},
    KeyHelp{kPrompt, "Tab", "to the transcript"},
    KeyHelp{kPrompt, "Page Up, Page Down", "scroll the transcript"},
    KeyHelp{kPrompt, "Ctrl-F", "search the transcript (empty prompt)"},
    KeyHelp{kPrompt, "Ctrl-O", "open the newest card"},
    KeyHelp{kPrompt, "Ctrl-D", "leave (empty prompt)"},
    KeyHelp{kTranscript, "Esc, i", "back to the prompt"},
    KeyHelp{kTranscript, "j k, arrows, g G", "scroll, to the ends"},
    KeyHelp{kTranscript, "[ ]", "prompt before, prompt behind"},
    KeyHelp{kTranscript, "Tab, n p", "next card, next and previous"},
    KeyHelp{kTranscript, "Enter, Ctrl-O", "open the card full screen"},
    KeyHelp{kTranscript, "o f, F U", "fold or unfold a card, all cards"},
    KeyHelp{kTranscript, "/, n N", "search, next and previous match"},
    KeyHelp{kTranscript, "y", "copy the card"},
    KeyHelp{kTranscript, "v", "copy mode"},
    KeyHelp{kCopy, "Space, y", "begin the selection, copy it"},
    KeyHelp{kCopy, "Esc", "leave it"},
    KeyHelp{kPanels, "type", "narrow the list"},
    KeyHelp{kPanels, "Enter, Esc", "choose, close"},
    KeyHelp{kTexts, "/, n N", "search, next and previous"},
    KeyHelp{kTexts, "Esc, q", "close"},
    KeyHelp{kSessions, "Ctrl-F, Ctrl-R, Ctrl-D", "fork, rename, delete"},
    KeyHelp{kSettings, "Tab", "Global or Project"},
    KeyHelp{kSettings, "Enter, Del", "change, unset (kept until saved)"},
    KeyHelp{kSettings, "Ctrl-S, Ctrl-X, Ctrl-R", "save, drop the changes, load again"},
    KeyHelp{kDiff, "Tab, Left Right", "files or lines"},
    KeyHelp{kDiff, "c", "comment on the line"},
    KeyHelp{kDiff, "e x d", "change, resolve, delete the comment"},
    KeyHelp{kDiff, "n p, ] [", "next and previous comment, hunk"},
    KeyHelp{kDiff, "s", "put #diff-changes into the prompt: sends unresolved comments"},
    KeyHelp{kDiff, "r", "look again"},
    KeyHelp{kApproval, "y s p", "allow once, for the session, by a rule"},
    KeyHelp{kApproval, "n", "refuse, with a reason that the model reads"},
};

}  // namespace

Table<SlashCommand> slash_commands() { return {kCommands.data(), kCommands.data() + kCommands.size()}; }
Table<KeyHelp> key_helps() { return {kKeys.data(), kKeys.data() + kKeys.size()}; }

const SlashCommand* find_command(std::string_view name) {
  for (const Alias& alias : kAliases)
    if (alias.name == name) name = alias.command;
  for (const SlashCommand& command : kCommands)
    if (command.name == name) return &command;
  return nullptr;
}

}  // namespace magi::code::tui
