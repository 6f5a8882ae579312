#include "tools/magi-code/tui/transcript/layouter.h"

#include <algorithm>
#include <utility>

namespace magi::code::tui {

void Layouter::set_now(std::int64_t now_ms) {
  if (now_ms == moment_.now_ms) return;
  moment_.now_ms = now_ms;
  ++moment_version_;
}

void Layouter::set_spin(std::uint64_t frame) {
  if (frame == moment_.spin) return;
  moment_.spin = frame;
  ++moment_version_;
}

std::vector<Section>& Layouter::sections(Card& card) {
  if (!std::exchange(card.wants_sections, false)) return card.sections;
  build_sections(card, card.sections, false);
  keep_diff_of(card);
  return card.sections;
}

bool Layouter::is_current(const Card& card, const Section& section) const {
  if (section.columns != columns_) return false;
  if (section.settled) return true;
  return section.version == card.version &&
         (section.kind != Section::Kind::kHeader || section.moment == moment_version_);
}

const LaidLines& Layouter::lines(Card& card, Section& section) {
  section.seen = frame_;
  if (section.lines && is_current(card, section)) return *section.lines;
  const std::size_t before = section.lines ? section.lines->size() : 0;
  section.lines = std::make_unique<LaidLines>(lay_section(card, section, columns_, moment_));
  section.columns = columns_;
  section.count = static_cast<std::uint32_t>(section.lines->size());
  section.version = card.version;
  section.moment = moment_version_;
  laid_ += section.lines->size() - std::min(before, section.lines->size());
  keep_diff_of(card);
  if (!std::exchange(card.has_lines, true)) holders_.push_back(&card);
  return *section.lines;
}

std::uint32_t Layouter::count(Card& card, Section& section) {
  if (is_current(card, section)) return section.count;
  return static_cast<std::uint32_t>(lines(card, section).size());
}

LaidLines Layouter::fresh(Card& card, const Section& section) {
  LaidLines lines = lay_section(card, section, columns_, moment_);
  keep_diff_of(card);
  return lines;
}

std::int64_t Layouter::estimate(const Card& card) const {
  if (!card.wants_sections && !card.sections.empty()) {
    std::int64_t lines = 0;
    for (const Section& section : card.sections) {
      if (section.columns < 0) {
        lines = -1;
        break;
      }
      lines += section.count;
    }
    if (lines >= 0) return lines;
  }
  if (card.fold == Fold::kFolded) return 1;
  return 2 + static_cast<std::int64_t>(card.text.size()) / std::max(columns_ / 2, 1);
}

void Layouter::end_frame() {
  ++frame_;
  if (laid_ <= limit::kLaidLines) return;
  laid_ = 0;
  std::erase_if(holders_, [&](Card* card) {
    std::size_t kept = 0;
    for (Section& section : card->sections) {
      if (!section.lines) continue;
      if (section.seen + 2 < frame_)
        section.lines.reset();
      else
        kept += section.lines->size();
    }
    laid_ += kept;
    card->has_lines = kept > 0;
    return kept == 0;
  });
}

// One diff at a time stays in memory: it is made again from the arguments where it is needed.
void Layouter::keep_diff_of(Card& card) {
  if (!card.tool || !card.tool->diff || diff_holder_ == &card) return;
  if (diff_holder_) diff_holder_->tool->diff.reset();
  diff_holder_ = &card;
}

void Layouter::forget(Card& card) {
  std::erase(holders_, &card);
  if (diff_holder_ == &card) diff_holder_ = nullptr;
}

}  // namespace magi::code::tui
