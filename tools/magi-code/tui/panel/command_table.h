// The slash commands and the keys of the interface, once: help shows them, completion offers them, and app/ dispatches
// by them.
#pragma once

#include <cstdint>
#include <string_view>

namespace magi::code::tui {

enum class CommandKind : std::uint8_t {
  kPanel,   // opens the panel of that name
  kAction,  // app/ does it
};

struct SlashCommand {
  std::string_view name;       // without the slash
  std::string_view arguments;  // "[instructions]"; empty: takes none
  std::string_view meaning;
  CommandKind kind = CommandKind::kAction;
  std::string_view panel = {};  // of kPanel: its name, where it differs
  bool while_running = false;   // may be used while a turn runs
};

struct KeyHelp {
  std::string_view where;  // "Anywhere", "Prompt", "Transcript", "Changes"
  std::string_view keys;   // "Ctrl-C Ctrl-C"
  std::string_view meaning;
};

template <class T>
struct Table {
  const T* first;
  const T* last;
  const T* begin() const { return first; }
  const T* end() const { return last; }
};
Table<SlashCommand> slash_commands();
Table<KeyHelp> key_helps();

// Null for other names; an alias gives its command.
const SlashCommand* find_command(std::string_view name);

}  // namespace magi::code::tui
