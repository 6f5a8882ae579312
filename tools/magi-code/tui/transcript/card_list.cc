#include "tools/magi-code/tui/transcript/card_list.h"

#include <algorithm>

namespace magi::code::tui {
namespace {

// Cards that stand close when one follows the other.
bool is_terse(CardKind kind) {
  return kind == CardKind::kTool || kind == CardKind::kNote || kind == CardKind::kContext;
}

std::size_t weight(const Card& card) {
  return card.text.capacity() + (card.tool ? card.tool->arguments.capacity() : 0) +
         (card.compaction ? card.compaction->evidence.capacity() : 0);
}

}  // namespace

void CardList::renew_gap(std::size_t at) {
  if (at >= cards_.size()) return;
  Card& card = *cards_[at];
  const bool gap = at > 0 && !(is_terse(card.kind) && cards_[at - 1]->kind == card.kind);
  if (gap == card.gap) return;
  card.gap = gap;
  card.sections.clear();
  card.touch();
}

std::unique_ptr<Card> CardList::make(CardKind kind) {
  auto card = std::make_unique<Card>();
  card->kind = kind;
  card->version = ++ids_ << 32;
  return card;
}

Card& CardList::add(CardKind kind) {
  const std::size_t at = settled_count();
  auto card = make(kind);
  Card& added = **cards_.insert(cards_.begin() + static_cast<std::ptrdiff_t>(at), std::move(card));
  renew_gap(at);
  renew_gap(at + 1);
  return added;
}

Card& CardList::add_waiting(std::string_view action_id, std::string_view text) {
  auto card = make(CardKind::kPrompt);
  card->status = "waiting";
  card->label = "steering";
  card->action_id = action_id;
  card->text = text;
  cards_.push_back(std::move(card));
  ++waiting_;
  renew_gap(cards_.size() - 1);
  grew(text.size());
  return *cards_.back();
}

Card* CardList::waiting(std::string_view action_id) {
  for (std::size_t at = settled_count(); at < cards_.size(); ++at)
    if (action_id.empty() || cards_[at]->action_id == action_id) return cards_[at].get();
  return nullptr;
}

void CardList::remove(const Card& waiting) {
  const auto at = std::find_if(cards_.begin() + static_cast<std::ptrdiff_t>(settled_count()), cards_.end(),
                               [&](const auto& card) { return card.get() == &waiting; });
  if (at == cards_.end()) return;
  const auto index = static_cast<std::size_t>(at - cards_.begin());
  bytes_ -= std::min(bytes_, weight(waiting));
  cards_.erase(at);
  --waiting_;
  renew_gap(index);
}

void CardList::settle(Card& waiting) {
  const auto first = cards_.begin() + static_cast<std::ptrdiff_t>(settled_count());
  const auto at = std::find_if(first, cards_.end(), [&](const auto& card) { return card.get() == &waiting; });
  if (at == cards_.end()) return;
  std::rotate(first, at, at + 1);
  --waiting_;
  waiting.status.clear();
  waiting.sections.clear();
  waiting.touch();
  for (std::size_t i = settled_count() - 1; i < cards_.size(); ++i) renew_gap(i);
}

Card* CardList::last() { return settled_count() > 0 ? cards_[settled_count() - 1].get() : nullptr; }

Card* CardList::tool(std::string_view call_id) {
  const auto found = tools_.find(std::string(call_id));
  return found == tools_.end() ? nullptr : found->second;
}

void CardList::name_tool(Card& card) { tools_[card.tool->call_id] = &card; }

void CardList::grew(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ > limit::kAllTexts) make_room();
}

// Outputs of tools go first, oldest first; what a person and the model wrote only when no output is left to give.
// A quarter is freed at a time, so that the walk over the cards is paid seldom.
void CardList::make_room() {
  bytes_ = 0;
  for (const auto& card : cards_) bytes_ += weight(*card);
  const std::size_t aim = limit::kAllTexts / 4 * 3;
  const std::size_t end = settled_count() - std::min<std::size_t>(settled_count(), 4);
  for (; bytes_ > aim && next_output_ < end; ++next_output_)
    if (Card& card = *cards_[next_output_]; card.kind == CardKind::kTool) bytes_ -= shrink(card);
  for (; bytes_ > aim && next_text_ < end; ++next_text_) bytes_ -= shrink(*cards_[next_text_]);
}

std::size_t CardList::shrink(Card& card) {
  if (card.shrunk || card.status == "streaming" || (card.tool && card.tool->running())) return 0;
  const std::size_t before = weight(card);
  const auto cut = [](std::string& text) {
    std::string less = bounded(text, limit::kShrunkHead, limit::kShrunkTail);
    less.shrink_to_fit();
    text = std::move(less);
  };
  cut(card.text);
  if (card.tool) {
    if (card.tool->arguments.size() > limit::kShrunkHead + limit::kShrunkTail) card.tool->is_edit = false;
    cut(card.tool->arguments);
    card.tool->diff.reset();
  }
  if (card.compaction) cut(card.compaction->evidence);
  std::vector<Section>().swap(card.sections);
  card.shrunk = true;
  card.renew();
  const std::size_t after = weight(card);
  return before - std::min(before, after);
}

}  // namespace magi::code::tui
