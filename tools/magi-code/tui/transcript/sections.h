// What a card consists of, and each part as lines.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/magi-code/tui/text/amounts.h"
#include "tools/magi-code/tui/transcript/card.h"

namespace magi::code::tui {

// How things stand while lines are made.
struct Moment {
  std::int64_t now_ms = 0;
  std::uint64_t spin = 0;
};

// Brings `sections` in line with the card; those of which nothing changed keep their lines.  `all`: the card stands
// alone and shows everything.
void build_sections(Card& card, std::vector<Section>& sections, bool all);

// Lines of one section.  Changes nothing of the card but its diff, which is made when it is first needed.
LaidLines lay_section(Card& card, const Section& section, int columns, const Moment& moment);

// header.cc: the line that says what a card is and how it stands; empty for cards that have none.
Line header_of(const Card& card, int columns, const Moment& moment);
// What became of an answer that did not end well, of steering that waits; empty: nothing to say.
Line footer_of(const Card& card);
// Whether its header moves by itself.
bool animates(const Card& card);

}  // namespace magi::code::tui
