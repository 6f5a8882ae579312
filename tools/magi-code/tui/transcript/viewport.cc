#include "tools/magi-code/tui/transcript/viewport.h"

#include <algorithm>

namespace magi::code::tui {

void Viewport::set_rows(int rows) { height_ = std::max(rows, 1); }

std::uint32_t Viewport::count(std::size_t card, std::size_t section) {
  return layouter_.count(pages_.card(card), pages_.sections(card)[section]);
}

const LaidLine& Viewport::line(const Spot& spot) {
  return layouter_.lines(pages_.card(spot.card), pages_.sections(spot.card)[spot.section])[spot.line];
}

// The first line at or behind the beginning of spot's section.
bool Viewport::first_line(Spot& spot) {
  for (; spot.card < pages_.size(); ++spot.card, spot.section = 0)
    for (; spot.section < pages_.sections(spot.card).size(); ++spot.section)
      if (count(spot.card, spot.section) > 0) {
        spot.line = 0;
        return true;
      }
  return false;
}

// The last line before the beginning of spot's section.
bool Viewport::last_line(Spot& spot) {
  while (true) {
    while (spot.section > 0) {
      --spot.section;
      if (const std::uint32_t lines = count(spot.card, spot.section); lines > 0) {
        spot.line = lines - 1;
        return true;
      }
    }
    if (spot.card == 0) return false;
    --spot.card;
    spot.section = pages_.sections(spot.card).size();
  }
}

bool Viewport::next(Spot& spot) {
  if (spot.line + 1 < count(spot.card, spot.section)) {
    ++spot.line;
    return true;
  }
  Spot behind{spot.card, spot.section + 1, 0};
  if (!first_line(behind)) return false;
  spot = behind;
  return true;
}

bool Viewport::previous(Spot& spot) {
  if (spot.line > 0) {
    --spot.line;
    return true;
  }
  Spot before{spot.card, spot.section, 0};
  if (!last_line(before)) return false;
  spot = before;
  return true;
}

Spot Viewport::nearest(Spot spot) {
  if (pages_.size() == 0) return {};
  if (spot.card >= pages_.size()) {
    spot = {pages_.size(), 0, 0};
    return last_line(spot) ? spot : Spot{};
  }
  if (const std::size_t sections = pages_.sections(spot.card).size(); spot.section >= sections) {
    Spot last{spot.card, sections, 0};
    if (last_line(last)) return last;
    return first_line(spot) ? spot : Spot{};
  }
  // What was one section may have become several.
  std::uint32_t lines = count(spot.card, spot.section);
  while (spot.line >= lines && spot.section + 1 < pages_.sections(spot.card).size()) {
    spot.line -= lines;
    lines = count(spot.card, ++spot.section);
  }
  if (lines > 0) {
    spot.line = std::min(spot.line, lines - 1);
    return spot;
  }
  Spot behind{spot.card, spot.section, 0};
  if (first_line(behind)) return behind;
  return last_line(spot) ? spot : Spot{};
}

void Viewport::stand_at(const Spot& spot) {
  anchor_ = spot;
  anchor_columns_ = layouter_.columns();
  anchor_count_ = pages_.size() > spot.card && pages_.sections(spot.card).size() > spot.section
                      ? std::max<std::uint32_t>(count(spot.card, spot.section), 1)
                      : 1;
}

Spot Viewport::place_now() {
  Spot spot = anchor_;
  if (spot.card >= pages_.size() || spot.section >= pages_.sections(spot.card).size()) return nearest(spot);
  const std::uint64_t lines = count(spot.card, spot.section);
  if (anchor_columns_ == layouter_.columns())
    anchor_count_ = std::max<std::uint32_t>(static_cast<std::uint32_t>(lines), 1);
  else
    spot.line = static_cast<std::uint32_t>(spot.line * lines / anchor_count_);
  return nearest(spot);
}

void Viewport::fill_down(Spot spot) {
  do rows_.push_back(spot);
  while (static_cast<int>(rows_.size()) < height_ && next(spot));
}

void Viewport::fill_up(Spot spot) {
  std::vector<Spot> above;
  while (static_cast<int>(rows_.size() + above.size()) < height_ && previous(spot)) above.push_back(spot);
  rows_.insert(rows_.begin(), above.rbegin(), above.rend());
}

void Viewport::update() {
  rows_.clear();
  Spot first{0, 0, 0};
  if (!first_line(first)) {
    at_end_ = follows_ = true;
    return;
  }
  if (follows_) {
    fill_up({pages_.size(), 0, 0});
    at_end_ = true;
    return;
  }
  fill_down(place_now());
  if (static_cast<int>(rows_.size()) < height_) {
    fill_up(rows_.front());
    follows_ = at_end_ = true;
    return;
  }
  Spot last = rows_.back();
  at_end_ = !next(last);
}

void Viewport::scroll(std::int64_t lines) {
  update();
  if (rows_.empty() || (lines > 0 && follows_)) return;
  Spot first = rows_.front();
  const bool down = lines > 0;
  bool moved = false;
  for (; lines < 0 && previous(first); ++lines) moved = true;
  for (; lines > 0 && next(first); --lines) moved = true;
  if (!moved) return;
  follows_ = false;
  stand_at(first);
  update();
  if (down && at_end_) follows_ = true;
}

void Viewport::to_top() {
  update();
  if (rows_.empty()) return;
  Spot first{0, 0, 0};
  first_line(first);
  follows_ = false;
  stand_at(first);
  update();
}

void Viewport::to_end() {
  follows_ = true;
  update();
}

bool Viewport::shows(const Spot& spot) const { return std::find(rows_.begin(), rows_.end(), spot) != rows_.end(); }

void Viewport::reveal(const Spot& spot, int rows_above) {
  update();
  if (rows_.empty() || shows(spot)) return;
  Spot first = nearest(spot);
  for (int i = 0; i < std::min(rows_above, height_ - 1) && previous(first); ++i) {
  }
  stand(first);
}

void Viewport::stand(const Spot& spot) {
  follows_ = false;
  stand_at(spot);
  update();
}

}  // namespace magi::code::tui
