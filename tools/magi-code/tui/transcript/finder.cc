#include "tools/magi-code/tui/transcript/finder.h"

#include <algorithm>
#include <utility>

#include "tools/magi-code/tui/transcript/sections.h"

namespace magi::code::tui {

void Finder::start(std::string_view query, Pages& pages, Layouter& layouter) {
  const bool narrowed =
      !query_.empty() && query.starts_with(query_) && !more_ && Needle(query).ignores_case() == needle_.ignores_case();
  query_ = query;
  needle_ = Needle(query);
  has_current_ = false;
  count_all(pages, layouter, narrowed);
}

// With everything unfolded: what is found may be hidden.
std::uint32_t Finder::count(Card& card, Layouter& layouter) const {
  std::vector<Section> sections;
  const Fold fold = std::exchange(card.fold, Fold::kOpen);
  build_sections(card, sections, false);
  const bool in_body = needle_.may_be_in(card.text) || (card.tool && needle_.may_be_in(card.tool->arguments));
  std::uint32_t matches = 0;
  for (const Section& section : sections)
    if (in_body || section.kind == Section::Kind::kHeader || section.kind == Section::Kind::kFooter)
      matches += needle_.count(layouter.fresh(card, section));
  card.fold = fold;
  return matches;
}

void Finder::count_all(Pages& pages, Layouter& layouter, bool narrowed) {
  counts_.resize(pages.size());
  total_ = 0;
  more_ = false;
  for (std::size_t at = pages.size(); at-- > 0;) {
    Card& card = pages.card(at);
    Count& known = counts_[at];
    if (needle_.empty() || total_ >= limit::kMostMatches) {
      more_ = more_ || !needle_.empty();
      known = {};
      continue;
    }
    if (!(narrowed && known.version == card.version && known.matches == 0))
      known = {card.version, count(card, layouter)};
    total_ += known.matches;
  }
}

bool Finder::go_to(std::size_t card) {
  has_current_ = false;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const std::size_t at = (card + i) % counts_.size();
    if (counts_[at].matches == 0) continue;
    card_ = at;
    ordinal_ = 0;
    has_current_ = true;
    return true;
  }
  return false;
}

bool Finder::step(int direction, Pages& pages, Layouter& layouter) {
  counts_.resize(pages.size());
  for (std::size_t at = 0; at < pages.size() && !more_; ++at) {
    Card& card = pages.card(at);
    if (counts_[at].version == card.version) continue;
    total_ -= counts_[at].matches;
    counts_[at] = {card.version, count(card, layouter)};
    total_ += counts_[at].matches;
  }
  if (!has_current_ || card_ >= counts_.size()) return go_to(direction > 0 ? 0 : counts_.size() - 1);
  if (direction > 0 && ordinal_ + 1 < counts_[card_].matches) return ++ordinal_, true;
  if (direction < 0 && ordinal_ > 0 && ordinal_ <= counts_[card_].matches) return --ordinal_, true;
  const std::size_t size = counts_.size();
  for (std::size_t i = 1; i <= size; ++i) {
    const std::size_t at = direction > 0 ? (card_ + i) % size : (card_ + size - i) % size;
    if (counts_[at].matches == 0) continue;
    card_ = at;
    ordinal_ = direction > 0 ? 0 : counts_[at].matches - 1;
    return true;
  }
  has_current_ = false;
  return false;
}

std::int64_t Finder::position() const {
  if (!has_current_) return 0;
  std::int64_t before = 0;
  for (std::size_t at = 0; at < std::min(card_, counts_.size()); ++at) before += counts_[at].matches;
  return before + ordinal_ + 1;
}

}  // namespace magi::code::tui
