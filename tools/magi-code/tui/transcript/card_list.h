// The cards of a transcript in their order, within a budget of memory.  Steering that waits stands below all others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/magi-code/tui/transcript/card.h"

namespace magi::code::tui {

class CardList {
 public:
  std::size_t size() const { return cards_.size(); }
  bool empty() const { return cards_.empty(); }
  Card& operator[](std::size_t at) { return *cards_[at]; }
  const Card& operator[](std::size_t at) const { return *cards_[at]; }

  // Behind all but what waits.  The reference holds until the card is removed, which happens to waiting ones only.
  Card& add(CardKind kind);
  Card& add_waiting(std::string_view action_id, std::string_view text);
  // The waiting card of an action; an empty ID takes the oldest.  Null: none.
  Card* waiting(std::string_view action_id);
  void remove(const Card& waiting);
  // A waiting card becomes one of the others, at their end.
  void settle(Card& waiting);

  // The last card that is not waiting; null: none.
  Card* last();
  Card* tool(std::string_view call_id);
  void name_tool(Card& card);  // by its call ID, from now on

  // Something of `bytes` was added to a card: makes room where all together is too much.
  void grew(std::size_t bytes);

 private:
  std::size_t settled_count() const { return cards_.size() - waiting_; }
  std::unique_ptr<Card> make(CardKind kind);
  void renew_gap(std::size_t at);
  void make_room();
  std::size_t shrink(Card& card);

  std::vector<std::unique_ptr<Card>> cards_;
  std::unordered_map<std::string, Card*> tools_;
  std::size_t waiting_ = 0, bytes_ = 0;
  std::uint64_t ids_ = 0;                        // versions of different cards are different
  std::size_t next_output_ = 0, next_text_ = 0;  // what may be shrunk begins there
};

}  // namespace magi::code::tui
