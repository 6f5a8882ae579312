// Lines that are wrapped, scrolled and searched: the base of panels that show text.
//     Up Down j k Page Up Page Down Space Home End   scroll      / n N   search      Escape q   close
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/magi-code/tui/panel/line_input.h"
#include "tools/magi-code/tui/panel/panel.h"
#include "tools/magi-code/tui/panel/parts.h"

namespace magi::code::tui {

class ScrollView : public Panel {
 public:
  PanelAnswer key(const Key& key) override;
  PanelAnswer paste(const Paste& paste) override;
  PanelAnswer mouse(const Mouse& mouse, Rect area) override;
  void draw(Surface& surface, Rect area) const override;

 protected:
  // Safe to draw.
  void set_lines(std::vector<Line> lines);
  // Any text, made safe; of very long ones the beginning.
  void set_text(std::string_view text);
  void set_message(std::string text, bool is_error);
  void search(std::string_view text);
  virtual Hints hints() const;

 private:
  struct Row {
    std::size_t line;
    Line text;
  };
  void lay_out(int columns) const;
  std::size_t last_first() const;
  void scroll(std::ptrdiff_t rows);
  void find(bool forward, bool from_here);

  std::vector<Line> lines_;
  std::string message_ = "loading...";
  bool message_is_error_ = false;
  bool typing_ = false, missed_ = false;
  LineInput input_;
  std::string sought_;  // folded
  std::size_t found_line_ = static_cast<std::size_t>(-1);

  // As drawn last.
  mutable int columns_ = 0, rows_ = 1;
  mutable std::vector<Row> laid_out_;
  mutable std::size_t first_ = 0;
};

}  // namespace magi::code::tui
