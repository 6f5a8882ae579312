// /files: the files that the session read, edited and wrote; Enter names one in the prompt.
#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/picker.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kName = "files";

class FilesPanel : public Picker {
 public:
  explicit FilesPanel(std::string_view filter) : Picker(filter) {}

  std::string title() const override { return "Session files"; }
  Effects opened() override { return {Load{std::string(kName), {}}}; }

  PanelAnswer take(const Loaded& loaded) override {
    if (loaded.panel != kName) return {};
    if (!loaded.data) return fail(loaded.data.error().what), PanelAnswer{};
    const auto* const files = std::get_if<TouchedFiles>(&*loaded.data);
    if (!files) return {};
    data_ = *files;
    std::vector<Item> items;
    for (const TouchedFile& file : data_.files)
      items.push_back({file.path, what_happened(file), file.status,
                       file.status.empty()        ? Role::kText
                       : file.status == "deleted" ? Role::kRemoved
                                                  : Role::kAdded,
                       false});
    set_items(std::move(items));
    return {};
  }

 private:
  static std::string what_happened(const TouchedFile& file) {
    std::string text;
    const auto add = [&](std::int64_t count, std::string_view word) {
      if (count == 0) return;
      if (!text.empty()) text += ", ";
      text += word;
      if (count > 1) text += " " + std::to_string(count) + "x";
    };
    add(file.reads, "read");
    add(file.edits, "edited");
    add(file.writes, "written");
    if (!file.status.empty()) text += (text.empty() ? "" : "; ") + file.status;
    return text;
  }

  PanelAnswer chosen(std::size_t item) override { return {true, {InsertText{'@' + data_.files[item].path + ' '}}}; }
  std::optional<PanelAnswer> own_key(const Key& key, std::optional<std::size_t>) override {
    if (!key.is_ctrl('r')) return std::nullopt;
    return PanelAnswer{false, opened()};
  }
  Hints hints() const override {
    return {{"Enter", "name it in the prompt"}, {"Ctrl-R", "look again"}, {"Esc", "close"}};
  }
  std::string_view empty_text() const override { return "no file was read or changed yet"; }

  TouchedFiles data_;
};

}  // namespace

PanelPtr make_files_panel(std::string_view filter) { return std::make_unique<FilesPanel>(filter); }

}  // namespace magi::code::tui
