// A list that narrows as one types, with a preview beside or below it: the base of most panels.
//     Up Down Page Up Page Down Ctrl-P Ctrl-N   move      Enter   choose      Escape   close
// All else that is text goes into the filter, unless the panel has a meaning for it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/panel/line_input.h"
#include "tools/magi-code/tui/panel/list_view.h"
#include "tools/magi-code/tui/panel/panel.h"
#include "tools/magi-code/tui/panel/parts.h"

namespace magi::code::tui {

class Picker : public Panel {
 public:
  PanelAnswer key(const Key& key) final;
  PanelAnswer paste(const Paste& paste) final;
  PanelAnswer mouse(const Mouse& mouse, Rect area) final;
  void draw(Surface& surface, Rect area) const override;

 protected:
  struct Item {
    std::string label;   // raw; drawn on one line
    std::string detail;  // short, at the right edge
    std::string extra;   // searched, not shown
    Role role = Role::kText;
    bool marked = false;  // the one that is in use
  };
  using OnAnswer = std::function<PanelAnswer()>;
  using OnText = std::function<PanelAnswer(std::string)>;

  explicit Picker(std::string_view filter = {});

  // The selection stays on the same number of the list that is shown.
  void set_items(std::vector<Item> items);
  void fail(std::string why);
  void set_loading();
  // One line above the hints until the next key.
  void say(std::string text, bool is_error = false);
  // `on_yes` when the next key is y; any other leaves things as they are.
  void ask(std::string question, OnAnswer on_yes);
  // A line to type; Escape leaves it.
  void ask_text(std::string label, std::string text, OnText on_text);

  // Into the items; nothing where the list that is shown is empty.
  std::optional<std::size_t> selected() const;
  void select_item(std::size_t item);
  const std::vector<Item>& items() const { return items_; }
  const std::string& filter() const { return filter_.text(); }
  bool is_loading() const { return state_ == State::kLoading; }

  virtual PanelAnswer chosen(std::size_t item) = 0;
  // Enter where nothing fits the filter.
  virtual PanelAnswer chosen_text(const std::string& /*filter*/) { return {}; }
  // Keys of its own, asked first; nothing: not one of them.
  virtual std::optional<PanelAnswer> own_key(const Key& /*key*/, std::optional<std::size_t> /*item*/) {
    return std::nullopt;
  }
  virtual PanelAnswer closed() { return {true, {}}; }
  // The selection is another one.
  virtual Effects moved() { return {}; }
  virtual bool has_preview() const { return false; }
  virtual std::vector<Line> preview(std::size_t /*item*/) const { return {}; }
  virtual Hints hints() const = 0;
  virtual std::string_view empty_text() const { return "nothing here"; }

 private:
  enum class State { kLoading, kReady, kFailed };
  struct Areas {
    Rect filter, list, preview, message, hints;
  };
  Areas areas_of(Rect area) const;
  PanelAnswer key_of_dialog(const Key& key);
  void narrow(bool further);
  Effects effects_of_move();
  void draw_list(Surface& surface, Rect area) const;
  void draw_item(Surface& surface, Rect row, const Item& item, bool selected) const;

  State state_ = State::kLoading;
  std::string failure_, message_;
  bool message_is_error_ = false;
  std::vector<Item> items_;
  std::vector<std::string> labels_, extras_;  // folded, by item
  std::vector<std::size_t> shown_;            // items in the order of the list
  LineInput filter_;
  ListView list_;
  std::optional<std::size_t> told_;  // the item that moved() was called for

  std::string question_;
  OnAnswer on_yes_;
  OnText on_text_;
  std::string text_label_;
  LineInput text_;
};

}  // namespace magi::code::tui
