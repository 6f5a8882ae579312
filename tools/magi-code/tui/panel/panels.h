// Every panel by its name, which is also that of the slash command that opens it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/panel/panel.h"

namespace magi::code::tui {

// What panels keep from one opening to the next: the app owns one for as long as it lives.
struct PanelMemory {
  std::map<std::string, std::vector<SettingEdit>> drafts;  // unsaved edits of settings, by scope
};

// What panels know of the world when they are opened.
struct PanelContext {
  std::string session_id, provider, model, theme;
  std::vector<std::string> themes;
  bool turn_running = false;
  std::shared_ptr<PanelMemory> memory = {};  // none: nothing is kept
};

// "sessions", "model", "rewind", "theme", "settings", "changes", "diff", "activities", "files", "help", "usage",
// "system-prompt", "context", "doctor".  `arguments` are a first filter where the panel has one.  Null for other names.
std::unique_ptr<Panel> make_panel(std::string_view name, std::string_view arguments, const PanelContext& context);

// Any long text, to scroll and search in.
std::unique_ptr<Panel> make_text_panel(std::string title, std::string text);

}  // namespace magi::code::tui
