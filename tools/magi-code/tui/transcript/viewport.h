// A window on cards: where it stands, and which lines are in it.  Its place is a line of a section of a card, so that
// nothing above or below it has to be laid out, and text that arrives elsewhere moves nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/magi-code/tui/transcript/card_list.h"
#include "tools/magi-code/tui/transcript/layouter.h"

namespace magi::code::tui {

struct Spot {
  std::size_t card = 0, section = 0;
  std::uint32_t line = 0;

  auto operator<=>(const Spot&) const = default;
};

// What a window may show: all cards, or one alone with everything it has.
class Pages {
 public:
  virtual ~Pages() = default;
  virtual std::size_t size() const = 0;
  virtual Card& card(std::size_t at) = 0;
  virtual std::vector<Section>& sections(std::size_t at) = 0;
};

class Viewport {
 public:
  Viewport(Pages& pages, Layouter& layouter) : pages_(pages), layouter_(layouter) {}

  void set_rows(int rows);
  // Brings rows() in line with the cards as they are now.
  void update();
  const std::vector<Spot>& rows() const { return rows_; }
  bool at_end() const { return at_end_; }
  bool follows() const { return follows_; }

  void scroll(std::int64_t lines);
  void to_top();
  void to_end();
  // Brings a line into view, where it is not; `rows_above` from the top.
  void reveal(const Spot& spot, int rows_above);
  // Puts a line on top.
  void stand(const Spot& spot);
  bool shows(const Spot& spot) const;

  // One line on or back; false at the ends.
  bool next(Spot& spot);
  bool previous(Spot& spot);
  // `spot` where it still exists, else the nearest line before it, else the first.
  Spot nearest(Spot spot);
  const LaidLine& line(const Spot& spot);
  // The first line of a card.
  Spot first_of(std::size_t card) { return nearest({card, 0, 0}); }

 private:
  std::uint32_t count(std::size_t card, std::size_t section);
  bool first_line(Spot& spot);
  bool last_line(Spot& spot);
  void stand_at(const Spot& spot);
  Spot place_now();
  void fill_down(Spot spot);
  void fill_up(Spot spot);

  Pages& pages_;
  Layouter& layouter_;
  int height_ = 1;
  bool follows_ = true, at_end_ = true;
  // Where the first row stands, and of how many lines its section had then at that width: a change of width finds the
  // same place again, and the old width the very same line.
  Spot anchor_;
  std::uint32_t anchor_count_ = 1;
  int anchor_columns_ = 0;
  std::vector<Spot> rows_;
};

}  // namespace magi::code::tui
