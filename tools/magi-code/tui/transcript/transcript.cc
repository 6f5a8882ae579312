// The view of a transcript: laying out, drawing, scrolling, focus.
#include "tools/magi-code/tui/transcript/transcript.h"

#include <algorithm>

#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/transcript/transcript_state.h"

namespace magi::code::tui {

std::vector<Section>& OneCard::sections(std::size_t) {
  if (texts_ != card_.texts) sections_.clear();
  texts_ = card_.texts;
  if (version_ != card_.version) build_sections(card_, sections_, true);
  version_ = card_.version;
  return sections_;
}

int gutter_of(int columns) { return columns >= 24 ? 2 : 0; }

void TranscriptState::forget(Card& card) {
  layouter.forget(card);
  if (focus == &card) focus = nullptr;
}

// Lays out what is seen, where something changed.
void TranscriptState::refresh() {
  if (!std::exchange(dirty, false)) return;
  seen().update();
  if (view.follows()) new_below = false;
  layouter.end_frame();
}

// What a key that folds acts on: the focused card, else the last that folds.
std::optional<std::size_t> TranscriptState::foldable() const {
  for (std::size_t at = cards.size(); at-- > 0;) {
    const Card& card = cards[at];
    if (focus ? &card == focus : card.folds()) return at;
  }
  return std::nullopt;
}

Transcript::Transcript() : state_(std::make_unique<TranscriptState>()) {}
Transcript::~Transcript() = default;
Transcript::Transcript(Transcript&&) noexcept = default;
Transcript& Transcript::operator=(Transcript&&) noexcept = default;

bool Transcript::empty() const { return state_->cards.empty(); }

// --- Laying out ---

void Transcript::layout(int columns, int rows) {
  TranscriptState& state = *state_;
  if (columns == state.columns && rows == state.rows && !state.dirty) return;
  state.columns = std::max(columns, 1);
  state.rows = std::max(rows, 1);
  state.gutter = gutter_of(state.columns);
  state.layouter.set_columns(std::max(state.columns - state.gutter, 1));
  state.view.set_rows(state.rows);
  if (state.open) state.open->view.set_rows(state.rows);
  state.dirty = true;
  state.refresh();
}

std::int64_t Transcript::count_lines() const {
  std::int64_t lines = 0;
  for (std::size_t at = 0; at < state_->cards.size(); ++at) {
    Card& card = state_->cards[at];
    for (Section& section : state_->layouter.sections(card))
      lines += static_cast<std::int64_t>(state_->layouter.fresh(card, section).size());
  }
  return lines;
}

TranscriptPlace Transcript::place() const {
  TranscriptState& state = *state_;
  state.refresh();
  TranscriptPlace place;
  const auto& rows = state.seen().rows();
  Pages& pages = state.seen_pages();
  const std::size_t first = rows.empty() ? 0 : rows.front().card;
  for (std::size_t at = 0; at < pages.size(); ++at) {
    const std::int64_t lines = state.layouter.estimate(pages.card(at));
    if (at < first) place.first_line += lines;
    place.lines += lines;
  }
  if (!rows.empty()) {
    const auto& sections = pages.sections(first);
    for (std::size_t i = 0; i < std::min(rows.front().section, sections.size()); ++i)
      place.first_line += sections[i].columns < 0 ? 1 : sections[i].count;
    place.first_line += rows.front().line;
  }
  place.lines = std::max(place.lines, place.first_line + static_cast<std::int64_t>(rows.size()));
  place.at_end = state.seen().at_end();
  place.new_below = state.new_below && !place.at_end;
  return place;
}

bool Transcript::animates() const {
  return std::any_of(state_->running.begin(), state_->running.end(),
                     [](const Card* card) { return tui::animates(*card); }) ||
         !state_->compactions_running.empty() || (state_->written && tui::animates(*state_->written));
}

void Transcript::spin(std::uint64_t frame) {
  state_->layouter.set_spin(frame);
  if (animates()) state_->dirty = true;
}

// --- Drawing ---

namespace {

// The matches of the section that the rows being drawn belong to.
struct SectionMatches {
  Spot section;
  bool known = false;
  std::vector<MatchPiece> pieces;
};

void mark_matches(Surface& surface, Rect rect, TranscriptState& state, int row, const Spot& spot,
                  SectionMatches& found) {
  const Spot section{spot.card, spot.section, 0};
  if (!found.known || found.section != section) {
    Pages& pages = state.seen_pages();
    found = {section, true,
             state.finder.needle().find(
                 state.layouter.lines(pages.card(spot.card), pages.sections(spot.card)[spot.section]))};
  }
  const std::string text = plain_text(state.seen().line(spot).line);
  const bool here = state.match_section && *state.match_section == section && !state.open;
  for (const MatchPiece& piece : found.pieces) {
    if (piece.line != spot.line) continue;
    const std::size_t begin = std::min<std::size_t>(piece.begin, text.size());
    const std::size_t end = std::min<std::size_t>(piece.end, text.size());
    const int column = columns_of(std::string_view(text).substr(0, begin));
    const int width = columns_of(std::string_view(text).substr(begin, end - begin));
    surface.restyle({rect.row + row, rect.column + state.gutter + column, 1, std::max(width, 1)},
                    here && piece.match == state.match ? Style{Role::kSelection, true} : Style{Role::kMatch});
  }
}

}  // namespace

void Transcript::draw(Surface& surface, Rect rect) const {
  TranscriptState& state = *state_;
  state.refresh();
  const auto& rows = state.seen().rows();
  const Rect text{rect.row, rect.column + state.gutter, rect.rows, rect.columns - state.gutter};
  SectionMatches found;
  std::optional<Selection> selection = state.selection;
  if (selection && selection->cursor < selection->anchor) std::swap(selection->cursor, selection->anchor);
  for (int i = 0; i < std::min(static_cast<int>(rows.size()), rect.rows); ++i) {
    const Spot& spot = rows[static_cast<std::size_t>(i)];
    surface.put(text, rect.row + i, text.column, state.seen().line(spot).line);
    const Rect line{rect.row + i, rect.column, 1, rect.columns};
    if (!state.open && state.focus && &state.cards[spot.card] == state.focus && state.gutter > 0)
      surface.put(line, line.row, line.column, "▌", {Role::kAccent});
    if (state.finder.active()) mark_matches(surface, rect, state, i, spot, found);
    if (selection && selection->anchor <= spot && spot <= selection->cursor) surface.restyle(line, {Role::kSelection});
    if (state.selection && spot == state.selection->cursor && state.gutter > 0)
      surface.put(line, line.row, line.column, "▶", {Role::kAccent, true});
  }
}

// --- Scrolling ---

void Transcript::scroll_lines(std::int64_t lines) {
  state_->seen().scroll(lines);
  state_->dirty = true;
}

void Transcript::scroll_pages(int pages) {
  scroll_lines(static_cast<std::int64_t>(pages) * std::max(state_->rows - 1, 1));
}

void Transcript::scroll_to_top() {
  state_->seen().to_top();
  state_->dirty = true;
}

void Transcript::scroll_to_end() {
  state_->seen().to_end();
  state_->dirty = true;
}

void Transcript::jump_prompt(int direction) {
  TranscriptState& state = *state_;
  state.refresh();
  if (state.open || state.view.rows().empty()) return;
  const Spot top = state.view.rows().front();
  auto at = static_cast<std::ptrdiff_t>(top.card);
  // A prompt whose beginning has left the view above is the one above.
  if (direction > 0 || top <= state.view.first_of(top.card)) at += direction;
  for (; at >= 0 && at < static_cast<std::ptrdiff_t>(state.cards.size()); at += direction) {
    if (state.cards[static_cast<std::size_t>(at)].kind != CardKind::kPrompt) continue;
    state.view.stand(state.view.first_of(static_cast<std::size_t>(at)));
    state.dirty = true;
    return;
  }
  direction > 0 ? scroll_to_end() : scroll_to_top();
}

// --- Focus ---

void Transcript::focus_next(int direction) {
  TranscriptState& state = *state_;
  state.refresh();
  const auto& rows = state.view.rows();
  if (state.open || rows.empty()) return;
  std::ptrdiff_t at = -1;
  for (std::size_t i = 0; i < state.cards.size() && state.focus; ++i)
    if (&state.cards[i] == state.focus) at = static_cast<std::ptrdiff_t>(i) + direction;
  if (at < 0 && !state.focus) at = static_cast<std::ptrdiff_t>(direction < 0 ? rows.back().card : rows.front().card);
  if (at < 0 || at >= static_cast<std::ptrdiff_t>(state.cards.size())) return;
  state.focus = &state.cards[static_cast<std::size_t>(at)];
  state.view.reveal(state.view.first_of(static_cast<std::size_t>(at)), direction < 0 ? 0 : state.rows / 2);
  state.dirty = true;
}

void Transcript::focus_at(int row) {
  TranscriptState& state = *state_;
  state.refresh();
  const auto& rows = state.view.rows();
  if (state.open || row < 0 || row >= static_cast<int>(rows.size())) return;
  state.focus = &state.cards[rows[static_cast<std::size_t>(row)].card];
}

void Transcript::clear_focus() { state_->focus = nullptr; }
bool Transcript::has_focus() const { return state_->focus != nullptr; }

bool Transcript::toggle_fold() {
  TranscriptState& state = *state_;
  const auto at = state.foldable();
  if (!at || !state.cards[*at].folds()) return false;
  Card& card = state.cards[*at];
  card.fold = card.fold == Fold::kOpen ? Fold::kFolded : Fold::kOpen;
  card.fold_chosen = true;
  card.sections.clear();
  state.changed(card);
  return true;
}

void Transcript::fold_all(bool folded) {
  for (std::size_t at = 0; at < state_->cards.size(); ++at) {
    Card& card = state_->cards[at];
    if (!card.folds()) continue;
    card.fold = folded ? Fold::kFolded : Fold::kOpen;
    card.fold_chosen = true;
    card.sections.clear();
    state_->changed(card);
  }
}

bool Transcript::open_card() {
  TranscriptState& state = *state_;
  const auto at = state.foldable();
  const std::size_t chosen = at ? *at : state.cards.size() - 1;
  if (state.open || state.cards.empty()) return false;
  state.selection.reset();
  state.open.emplace(state.cards[chosen], state.layouter);
  state.open->view.set_rows(state.rows);
  if (!tui::animates(state.cards[chosen])) state.open->view.to_top();
  state.dirty = true;
  return true;
}

void Transcript::close_card() {
  state_->open.reset();
  state_->selection.reset();
  state_->dirty = true;
}

bool Transcript::card_is_open() const { return state_->open.has_value(); }

Line Transcript::card_title() const {
  if (!state_->open) return {};
  const Card& card = state_->open->pages.card(0);
  const Line header = header_of(card, state_->columns, state_->layouter.moment());
  if (!header.spans.empty()) return header;
  switch (card.kind) {
    case CardKind::kPrompt: return Line("prompt", Style{Role::kTitle, true});
    case CardKind::kAnswer: return Line("answer", Style{Role::kTitle, true});
    default: return Line("note", Style{Role::kTitle, true});
  }
}

}  // namespace magi::code::tui
