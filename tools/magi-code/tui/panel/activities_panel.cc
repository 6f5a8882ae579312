// /activities: what the session did and does, as a tree of turns, tools and children.
#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/picker.h"
#include "tools/magi-code/tui/text/visible.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kName = "activities";

Role role_of(std::string_view status) {
  if (status == "running" || status == "waiting") return Role::kAccent;
  if (status == "success" || status == "completed") return Role::kText;
  return status == "cancelled" || status == "interrupted" ? Role::kWarning : Role::kError;
}

std::string_view mark_of(std::string_view status) {
  if (status == "running") return "~ ";
  if (status == "waiting") return "? ";
  if (status == "success" || status == "completed") return "+ ";
  return status == "cancelled" || status == "interrupted" ? "- " : "! ";
}

class ActivitiesPanel : public Picker {
 public:
  explicit ActivitiesPanel(std::string_view filter) : Picker(filter) {}

  std::string title() const override { return "Activities"; }
  Effects opened() override { return {Load{std::string(kName), {}}}; }

  PanelAnswer take(const Loaded& loaded) override {
    if (loaded.panel != kName) return {};
    if (!loaded.data) return fail(loaded.data.error().what), PanelAnswer{};
    const auto* const activities = std::get_if<ActivitiesData>(&*loaded.data);
    if (!activities) return {};
    const bool first = data_.rows.empty();
    data_ = *activities;
    std::vector<Item> items;
    for (const ActivityRow& row : data_.rows) items.push_back(item_of(row));
    set_items(std::move(items));
    // What happens now stands at the end.
    if (first && !data_.rows.empty()) select_item(data_.rows.size() - 1);
    return {};
  }

 private:
  std::int64_t elapsed_ms(const ActivityRow& row) const {
    if (row.begun_ms == 0) return -1;
    const bool lasts = row.ended_ms == 0 && (row.status == "running" || row.status == "waiting");
    return row.ended_ms != 0 ? row.ended_ms - row.begun_ms : lasts ? data_.now_ms - row.begun_ms : -1;
  }

  Item item_of(const ActivityRow& row) const {
    Item item;
    item.label = std::string(static_cast<std::size_t>(2 * row.depth), ' ')
                     .append(mark_of(row.status))
                     .append(first_line(row.label));
    if (!row.detail.empty()) item.label.append("  ").append(first_line(row.detail));
    item.detail = row.status == "success" || row.status == "completed" ? "" : row.status;
    if (const std::int64_t ms = elapsed_ms(row); ms >= 0)
      item.detail += (item.detail.empty() ? "" : "  ") + duration_text(ms);
    item.extra = row.status + ' ' + row.detail;
    item.role = role_of(row.status);
    return item;
  }

  PanelAnswer chosen(std::size_t) override { return {}; }
  std::optional<PanelAnswer> own_key(const Key& key, std::optional<std::size_t>) override {
    if (!key.is_ctrl('r')) return std::nullopt;
    return PanelAnswer{false, opened()};
  }

  bool has_preview() const override { return true; }
  std::vector<Line> preview(std::size_t item) const override {
    const ActivityRow& row = data_.rows[item];
    std::vector<Line> lines;
    for (const std::string& text : visible_lines(std::string_view(row.label).substr(0, 2000)))
      lines.emplace_back(text, Style{Role::kHeading, true});
    lines.emplace_back(visible(row.status), Style{role_of(row.status)});
    if (row.begun_ms != 0) lines.emplace_back("began " + ago(row.begun_ms, data_.now_ms), Style{Role::kMuted});
    for (const std::string& text : visible_lines(std::string_view(row.detail).substr(0, 4000)))
      lines.emplace_back(text);
    return lines;
  }

  Hints hints() const override { return {{"Ctrl-R", "look again"}, {"Esc", "close"}}; }
  std::string_view empty_text() const override { return "nothing has happened yet"; }

  ActivitiesData data_;
};

}  // namespace

PanelPtr make_activities_panel(std::string_view filter) { return std::make_unique<ActivitiesPanel>(filter); }

}  // namespace magi::code::tui
