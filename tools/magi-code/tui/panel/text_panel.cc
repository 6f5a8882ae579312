// Any long text: the system prompt, the doctor's report, a card in full.
#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/scroll_view.h"

namespace magi::code::tui {
namespace {

class TextPanel : public ScrollView {
 public:
  // `name` empty: the text is given.
  TextPanel(std::string name, std::string title) : name_(std::move(name)), title_(std::move(title)) {}

  void show(std::string_view text) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return set_message("empty", false);
    set_text(text);
  }
  std::string title() const override { return title_; }
  Effects opened() override {
    if (name_.empty()) return {};
    return {Load{name_, {}}};
  }
  PanelAnswer take(const Loaded& loaded) override {
    if (name_.empty() || loaded.panel != name_) return {};
    if (!loaded.data) return set_message(loaded.data.error().what, true), PanelAnswer{};
    if (const auto* text = std::get_if<TextData>(&*loaded.data)) {
      if (!text->title.empty()) title_ = text->title;
      show(text->text);
    }
    return {};
  }

 private:
  std::string name_, title_;
};

}  // namespace

PanelPtr make_loaded_text_panel(std::string_view name, std::string title) {
  return std::make_unique<TextPanel>(std::string(name), std::move(title));
}

PanelPtr make_text_panel(std::string title, std::string text) {
  auto panel = std::make_unique<TextPanel>(std::string(), std::move(title));
  panel->show(text);
  return panel;
}

}  // namespace magi::code::tui
