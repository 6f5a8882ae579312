// /theme: each theme is seen while it is selected; Escape goes back to the one before.
#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/picker.h"

namespace magi::code::tui {
namespace {

class ThemePanel : public Picker {
 public:
  explicit ThemePanel(const PanelContext& context) : themes_(context.themes), before_(context.theme), shown_(before_) {
    std::vector<Item> items;
    std::size_t current = 0;
    for (const std::string& theme : themes_) {
      if (theme == before_) current = items.size();
      items.push_back({theme, {}, {}, Role::kText, theme == before_});
    }
    set_items(std::move(items));
    select_item(current);
  }

  std::string title() const override { return "Theme"; }

 private:
  Effects moved() override {
    const auto item = selected();
    if (!item || themes_[*item] == shown_) return {};
    shown_ = themes_[*item];
    return {ChooseTheme{shown_}};
  }
  PanelAnswer chosen(std::size_t item) override { return {true, {ChooseTheme{themes_[item]}}}; }
  PanelAnswer closed() override {
    if (shown_ == before_) return {true, {}};
    return {true, {ChooseTheme{before_}}};
  }
  Hints hints() const override { return {{"Enter", "use"}, {"Esc", "as before"}}; }

  std::vector<std::string> themes_;
  std::string before_, shown_;
};

}  // namespace

PanelPtr make_theme_panel(const PanelContext& context) { return std::make_unique<ThemePanel>(context); }

}  // namespace magi::code::tui
