// /settings: every key with its bounds and meaning, in the scopes Global and Project.  Changes are drafts until they
// are saved; the code that loads settings checks them then, and a refusal is explained beside its key.
#include <algorithm>

#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/picker.h"
#include "tools/magi-code/tui/panel/setting_value.h"
#include "tools/magi-code/tui/text/visible.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kName = "settings", kGlobal = "global", kProject = "project";
constexpr std::string_view kSubscriptionKeys = "agent.compaction.claude_subscription.";

class SettingsPanel : public Picker {
 public:
  SettingsPanel(std::string_view filter, const PanelContext& context)
      : Picker(filter), memory_(context.memory ? context.memory : std::make_shared<PanelMemory>()) {}

  std::string title() const override {
    std::string text = std::string("Settings: ").append(in_project_ ? "Project" : "Global");
    if (const std::size_t count = drafts().size(); count > 0) text += " (" + std::to_string(count) + " unsaved)";
    return text;
  }
  Effects opened() override { return {Load{std::string(kName), {}}}; }

  PanelAnswer take(const Loaded& loaded) override {
    if (loaded.panel != kName) return {};
    if (!loaded.data) {
      if (data_.rows.empty()) fail(loaded.data.error().what);
      return say(loaded.data.error().what, true), PanelAnswer{};
    }
    const auto* const settings = std::get_if<SettingsData>(&*loaded.data);
    if (!settings) return {};
    data_ = *settings;
    if (!data_.refused_why.empty()) return refused(), PanelAnswer{};
    refused_key_.clear();
    if (!data_.saved_scope.empty()) {
      memory_->drafts.erase(data_.saved_scope);
      say("saved");
    } else if (!data_.warnings.empty()) {
      say(data_.warnings.front(), true);
    }
    show();
    return {};
  }

 private:
  std::string scope() const { return std::string(in_project_ ? kProject : kGlobal); }
  const std::vector<SettingEdit>& drafts() const { return memory_->drafts[scope()]; }
  const SettingEdit* draft_of(const std::string& key) const {
    const auto& edits = drafts();
    const auto found =
        std::find_if(edits.begin(), edits.end(), [&](const SettingEdit& edit) { return edit.key == key; });
    return found == edits.end() ? nullptr : &*found;
  }
  const std::string& stored(const SettingRow& row) const { return in_project_ ? row.project : row.global; }
  // With the drafts of this scope.
  const std::string& own(const SettingRow& row) const {
    const SettingEdit* const draft = draft_of(row.key);
    return draft ? draft->value_json : stored(row);
  }
  const std::string& in_force(const SettingRow& row) const {
    const std::string& here = own(row);
    if (!here.empty()) return here;
    if (!in_project_ && !row.project.empty()) return row.project;
    return in_project_ && !row.global.empty() ? row.global : row.standard;
  }
  bool is_closed_here(const SettingRow& row) const { return in_project_ && row.only_global; }

  // Keys that were added and are no rows yet get one.
  void add_drafted_rows() {
    for (const SettingEdit& draft : drafts()) {
      const auto is_it = [&](const SettingRow& row) { return row.key == draft.key; };
      if (std::any_of(data_.rows.begin(), data_.rows.end(), is_it)) continue;
      SettingRow row;
      row.key = draft.key;
      row.kind = SettingRow::Kind::kOther;
      row.meaning = "A key that was added here.";
      data_.rows.push_back(std::move(row));
    }
  }

  void show() {
    add_drafted_rows();
    const auto at = selected();
    std::vector<Item> items;
    for (const SettingRow& row : data_.rows) {
      const bool drafted = draft_of(row.key) != nullptr;
      std::string value = own(row).empty() ? "(" + shown_value(in_force(row)) + ")" : shown_value(own(row));
      if (is_closed_here(row)) value = "only in Global";
      const Role role = row.key == refused_key_ ? Role::kError
                        : drafted               ? Role::kWarning
                        : is_closed_here(row)   ? Role::kMuted
                                                : Role::kText;
      items.push_back({row.key, std::move(value), row.group + ' ' + row.meaning, role, drafted});
    }
    set_items(std::move(items));
    if (at) select_item(*at);
  }

  void refused() {
    refused_key_ = data_.refused_key;
    refused_why_ = data_.refused_why;
    show();
    say("not saved: " + (refused_key_.empty() ? "" : refused_key_ + ": ") + refused_why_, true);
    // The row itself, or the nearest that its name begins with.
    for (std::size_t i = 0; i < data_.rows.size(); ++i)
      if (data_.rows[i].key == refused_key_) return select_item(i);
  }

  void set_draft(const SettingRow& row, std::string value_json) {
    std::vector<SettingEdit>& edits = memory_->drafts[scope()];
    std::erase_if(edits, [&](const SettingEdit& edit) { return edit.key == row.key; });
    if (value_json != stored(row)) edits.push_back({row.key, std::move(value_json)});
    if (row.key == refused_key_) refused_key_.clear();
    show();
  }

  PanelAnswer chosen(std::size_t item) override {
    const SettingRow row = data_.rows[item];
    if (is_closed_here(row)) return say("a project cannot set this: only your own settings can", true), PanelAnswer{};
    if (std::string next = next_value(row, in_force(row)); !next.empty())
      return set_draft(row, std::move(next)), PanelAnswer{};
    ask_text(row.key + " =", own(row).empty() ? "" : shown_value(own(row)),
             [this, row](const std::string& typed) { return type(row, typed); });
    return {};
  }

  PanelAnswer type(const SettingRow& row, const std::string& typed) {
    const auto value = typed_value(row, typed);
    if (value)
      set_draft(row, *value);
    else
      say(row.key + ": " + value.error().what, true);
    return {};
  }

  // A key with a name in it, which no table can list.
  PanelAnswer chosen_text(const std::string& key) override {
    if (key.find('.') == std::string::npos) return say("no such setting", true), PanelAnswer{};
    SettingRow row;
    row.key = key;
    row.kind = SettingRow::Kind::kOther;
    ask_text(key + " =", {}, [this, row](const std::string& typed) { return type(row, typed); });
    return {};
  }

  std::optional<PanelAnswer> own_key(const Key& key, std::optional<std::size_t> item) override {
    if (key.code == KeyCode::kTab) {
      in_project_ = !in_project_;
      refused_key_.clear();
      show();
      return PanelAnswer{};
    }
    if (key.is_ctrl('s')) return save();
    if (key.is_ctrl('r')) return PanelAnswer{false, opened()};
    if (key.is_ctrl('x')) {
      memory_->drafts.erase(scope());
      refused_key_.clear();
      show();
      say("the changes are dropped");
      return PanelAnswer{};
    }
    if (key.code == KeyCode::kDelete && item) {
      const SettingRow row = data_.rows[*item];
      set_draft(row, {});
      return PanelAnswer{};
    }
    return std::nullopt;
  }

  PanelAnswer save() {
    if (drafts().empty()) return say("nothing to save"), PanelAnswer{};
    return {false, {SaveSettings{scope(), in_project_ ? data_.project_digest : data_.global_digest, drafts()}}};
  }

  PanelAnswer closed() override {
    std::size_t count = 0;
    for (const auto& [scope, edits] : memory_->drafts) count += edits.size();
    if (count == 0) return {true, {}};
    return {
        true,
        {Notify{counted(count, "change of settings is", "changes of settings are") + " not saved; /settings goes on",
                false}}};
  }

  bool has_preview() const override { return true; }
  std::vector<Line> preview(std::size_t item) const override {
    const SettingRow& row = data_.rows[item];
    std::vector<Line> lines{Line(visible(row.key), {Role::kHeading, true})};
    if (row.key == refused_key_) lines.emplace_back("Refused: " + visible(refused_why_), Style{Role::kError});
    lines.emplace_back(visible(row.meaning));
    lines.emplace_back("Allowed: " + allowed_values(row), Style{Role::kMuted});
    const auto say_value = [&](std::string_view where, const std::string& json) {
      lines.emplace_back(std::string(where) + visible(shown_value(json)), Style{Role::kMuted});
    };
    say_value("Default: ", row.standard);
    say_value("Global: ", row.global);
    say_value("Project: ", row.project);
    if (draft_of(row.key)) lines.emplace_back("Unsaved: " + visible(shown_value(own(row))), Style{Role::kWarning});
    if (row.key.starts_with(kSubscriptionKeys))
      lines.emplace_back(
          "claude-subscription is always compacted by these thresholds, whatever agent.compaction.auto says. Where it "
          "may "
          "not write its own summaries, agent.compaction.provider and agent.compaction.model must name another "
          "provider; "
          "its full input limit then stays for the conversation.",
          Style{Role::kMuted});
    lines.emplace_back(visible(in_project_ ? data_.project_path : data_.global_path), Style{Role::kMuted});
    return lines;
  }

  Hints hints() const override {
    return {{"Enter", "change"}, {"Del", "unset"},   {"Tab", in_project_ ? "Global" : "Project"},
            {"Ctrl-S", "save"},  {"Ctrl-X", "drop"}, {"Esc", "close"}};
  }

  std::shared_ptr<PanelMemory> memory_;
  SettingsData data_;
  bool in_project_ = false;
  std::string refused_key_, refused_why_;
};

}  // namespace

PanelPtr make_settings_panel(std::string_view filter, const PanelContext& context) {
  return std::make_unique<SettingsPanel>(filter, context);
}

}  // namespace magi::code::tui
