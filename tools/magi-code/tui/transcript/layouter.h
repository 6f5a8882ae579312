// Lines of sections at the present width, kept in memory where they were needed lately; elsewhere only their count.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/magi-code/tui/transcript/card.h"
#include "tools/magi-code/tui/transcript/sections.h"

namespace magi::code::tui {

class Layouter {
 public:
  int columns() const { return columns_; }
  void set_columns(int columns) { columns_ = columns; }
  void set_now(std::int64_t now_ms);
  void set_spin(std::uint64_t frame);
  const Moment& moment() const { return moment_; }

  // The card's sections as they are now.
  std::vector<Section>& sections(Card& card);
  // Valid until the next call for the same section, forget() or the card's change.
  const LaidLines& lines(Card& card, Section& section);
  std::uint32_t count(Card& card, Section& section);
  // Lays out one section without keeping anything.
  LaidLines fresh(Card& card, const Section& section);
  // About how many lines the card has.
  std::int64_t estimate(const Card& card) const;

  // A frame was drawn: lines that none of the last frames needed go, where there are many.
  void end_frame();
  void keep_diff_of(Card& card);
  // The card is about to go.
  void forget(Card& card);

 private:
  bool is_current(const Card& card, const Section& section) const;

  int columns_ = 80;
  Moment moment_;
  std::uint64_t moment_version_ = 1, frame_ = 1;
  std::vector<Card*> holders_;  // cards that hold lines
  std::size_t laid_ = 0;        // lines in memory, about
  Card* diff_holder_ = nullptr;
};

}  // namespace magi::code::tui
