// /changes: what the session's tools changed, turn by turn, as its ledger says (requirement F1).
#include <set>

#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/scroll_view.h"
#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kName = "changes";

Role role_of(std::string_view status) {
  if (status == "created") return Role::kAdded;
  if (status == "deleted") return Role::kRemoved;
  return status == "modified" ? Role::kAccent : Role::kMuted;
}

Line heading_of(const ChangedTurnRow& turn, std::int64_t now_ms) {
  Line line;
  if (turn.is_rewind)
    line.add("a rewind", {Role::kHeading, true});
  else if (turn.has_prompt)
    line.add(shorten(visible(first_line(turn.prompt)), 60), {Role::kHeading, true});
  else
    line.add(turn.turn_id.empty() ? "no turn" : "turn " + visible(turn.turn_id) + " (its prompt was compacted)",
             {Role::kHeading});
  if (turn.at_ms != 0) line.add("  " + ago(turn.at_ms, now_ms), {Role::kMuted});
  return line;
}

class ChangesPanel : public ScrollView {
 public:
  std::string title() const override { return "Changes that tools made"; }
  Effects opened() override { return {Load{std::string(kName), {}}}; }
  PanelAnswer take(const Loaded& loaded) override {
    if (loaded.panel != kName) return {};
    if (!loaded.data) return set_message(loaded.data.error().what, true), PanelAnswer{};
    if (const auto* ledger = std::get_if<LedgerData>(&*loaded.data)) show(*ledger);
    return {};
  }
  PanelAnswer key(const Key& key) override {
    if (key.is_ctrl('r')) return {false, {OpenPanel{"rewind", {}}}};
    if (key.is_ctrl('d')) return {false, {OpenPanel{"diff", {}}}};
    return ScrollView::key(key);
  }

 private:
  void show(const LedgerData& ledger) {
    if (ledger.turns.empty()) return set_message("no tool has changed a file", false);
    std::vector<Line> lines;
    std::set<std::string_view> files;
    for (const ChangedTurnRow& turn : ledger.turns) {
      lines.push_back(heading_of(turn, ledger.now_ms));
      for (const ChangedFileRow& file : turn.files) {
        files.insert(file.path);
        Line line("  " + pad(file.status, 11), {role_of(file.status)});
        line.add(visible(file.path));
        if (file.changes > 1) line.add("  " + grouped(file.changes) + " changes", {Role::kMuted});
        lines.push_back(std::move(line));
      }
      if (turn.shell_calls > 0)
        lines.emplace_back("  " +
                               counted(static_cast<std::size_t>(turn.shell_calls), "shell command", "shell commands") +
                               " ran, whose changes are not recorded",
                           Style{Role::kMuted});
      lines.emplace_back();
    }
    lines.emplace_back(counted(files.size(), "file", "files") + " in " + counted(ledger.turns.size(), "turn", "turns"),
                       Style{Role::kMuted});
    if (ledger.torn_bytes > 0) lines.emplace_back("The last record is incomplete and left out.", Style{Role::kWarning});
    set_lines(std::move(lines));
  }
  Hints hints() const override {
    return {{"/", "search"}, {"Ctrl-R", "rewind"}, {"Ctrl-D", "the diff"}, {"Esc", "close"}};
  }
};

}  // namespace

PanelPtr make_changes_panel() { return std::make_unique<ChangesPanel>(); }

}  // namespace magi::code::tui
