// The search in a transcript: how many matches each card has, and which one is the present.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/magi-code/tui/transcript/find_in_lines.h"
#include "tools/magi-code/tui/transcript/viewport.h"

namespace magi::code::tui {

class Finder {
 public:
  // Counts anew; a query that goes on from the last one looks only where that was found.
  void start(std::string_view query, Pages& pages, Layouter& layouter);
  void stop() { *this = {}; }
  bool active() const { return !needle_.empty(); }
  const Needle& needle() const { return needle_; }
  const std::string& query() const { return query_; }
  std::int64_t total() const { return total_; }
  bool more() const { return more_; }

  // The first match in a card at or behind `card`, around the end.  False: there is none.
  bool go_to(std::size_t card);
  // The next match or the one before, around the ends; counts cards that have changed since again.
  bool step(int direction, Pages& pages, Layouter& layouter);

  bool has_current() const { return has_current_; }
  std::size_t card() const { return card_; }          // of the present match
  std::uint32_t ordinal() const { return ordinal_; }  // among the card's matches
  std::int64_t position() const;                      // among all, from 1; 0: none

 private:
  struct Count {
    std::uint64_t version = 0;
    std::uint32_t matches = 0;
  };

  void count_all(Pages& pages, Layouter& layouter, bool narrowed);
  std::uint32_t count(Card& card, Layouter& layouter) const;

  Needle needle_;
  std::string query_;
  std::vector<Count> counts_;  // one a card
  std::int64_t total_ = 0;
  bool more_ = false, has_current_ = false;
  std::size_t card_ = 0;
  std::uint32_t ordinal_ = 0;
};

}  // namespace magi::code::tui
