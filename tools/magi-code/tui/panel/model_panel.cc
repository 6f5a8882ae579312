// /model: the models of every provider that there is, with their context windows; any other name can be typed.
#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/picker.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kName = "model";

class ModelPanel : public Picker {
 public:
  ModelPanel(std::string_view filter, const PanelContext& context)
      : Picker(filter), provider_(context.provider), model_(context.model) {}

  std::string title() const override { return "Model"; }
  Effects opened() override { return {Load{std::string(kName), {}}}; }

  PanelAnswer take(const Loaded& loaded) override {
    if (loaded.panel != kName) return {};
    if (!loaded.data) return fail(loaded.data.error().what), PanelAnswer{};
    const auto* const models = std::get_if<ModelsData>(&*loaded.data);
    if (!models) return {};
    data_ = *models;
    std::vector<Item> items;
    std::optional<std::size_t> current;
    for (const ModelRow& row : data_.rows) {
      const bool marked = row.provider == provider_ && row.model == model_;
      if (marked) current = items.size();
      std::string detail = row.window_tokens ? short_count(*row.window_tokens) + " tokens" : "";
      if (!row.note.empty()) detail = row.note;
      items.push_back({row.provider + "  " + row.model, detail, row.provider + '/' + row.model,
                       row.note.empty() ? Role::kText : Role::kMuted, marked});
    }
    set_items(std::move(items));
    if (current) select_item(*current);
    if (!data_.notes.empty()) say(data_.notes.front());
    return {};
  }

 private:
  PanelAnswer chosen(std::size_t item) override {
    const ModelRow& row = data_.rows[item];
    if (!row.note.empty()) return say(row.provider + ": " + row.note, true), PanelAnswer{};
    return {true, {ChooseModel{row.provider, row.model}}};
  }

  // A model that no catalog knows: "model" of the provider in use, or "provider/model" of one that is listed.
  PanelAnswer chosen_text(const std::string& text) override {
    for (const ModelRow& row : data_.rows)
      if (text.size() > row.provider.size() + 1 && text.starts_with(row.provider + '/'))
        return {true, {ChooseModel{row.provider, text.substr(row.provider.size() + 1)}}};
    if (text.find(' ') != std::string::npos) return say("a model's name has no blanks", true), PanelAnswer{};
    return {true, {ChooseModel{provider_, text}}};
  }

  Hints hints() const override { return {{"Enter", "use"}, {"Esc", "close"}, {"Type", "a name that is not listed"}}; }
  std::string_view empty_text() const override { return "no catalog yet: type a model's name"; }

  std::string provider_, model_;
  ModelsData data_;
};

}  // namespace

PanelPtr make_model_panel(std::string_view filter, const PanelContext& context) {
  return std::make_unique<ModelPanel>(filter, context);
}

}  // namespace magi::code::tui
