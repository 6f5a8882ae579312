// /help: every command and key, from the table that dispatches them.
#include "tools/magi-code/tui/panel/command_table.h"
#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/scroll_view.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

constexpr int kNameColumns = 26;

Line entry(std::string_view name, std::string_view meaning) {
  Line line(pad("  " + std::string(name), kNameColumns), {Role::kAccent});
  return std::move(line.add(" " + std::string(meaning)));
}

class HelpPanel : public ScrollView {
 public:
  explicit HelpPanel(std::string_view sought) {
    std::vector<Line> lines;
    lines.emplace_back("Commands", Style{Role::kHeading, true});
    for (const SlashCommand& command : slash_commands()) {
      std::string name = "/" + std::string(command.name);
      if (!command.arguments.empty()) name.append(" ").append(command.arguments);
      lines.push_back(entry(name, command.meaning));
    }
    std::string_view where;
    for (const KeyHelp& key : key_helps()) {
      if (key.where != where) {
        lines.emplace_back();
        lines.emplace_back(std::string(key.where), Style{Role::kHeading, true});
        where = key.where;
      }
      lines.push_back(entry(key.keys, key.meaning));
    }
    set_lines(std::move(lines));
    if (!sought.empty()) search(sought);
  }
  std::string title() const override { return "Help"; }
};

}  // namespace

PanelPtr make_help_panel(std::string_view search) { return std::make_unique<HelpPanel>(search); }

}  // namespace magi::code::tui
