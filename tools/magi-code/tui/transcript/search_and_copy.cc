// Finding and taking text out of a transcript.
#include <algorithm>

#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/transcript/tool_facts.h"
#include "tools/magi-code/tui/transcript/transcript_state.h"

namespace magi::code::tui {
namespace {

constexpr std::size_t kMostCopied = 16 * 1024 * 1024;

// The cursor's row in the view, and the view moved where it has left it.
void keep_cursor_in_view(TranscriptState& state) {
  Viewport& view = state.seen();
  if (view.shows(state.selection->cursor)) return;
  const bool above = !view.rows().empty() && state.selection->cursor < view.rows().front();
  view.reveal(state.selection->cursor, above ? 0 : state.rows - 1);
  state.dirty = true;
}

const Card* last_answer_of(const CardList& cards) {
  for (std::size_t at = cards.size(); at-- > 0;)
    if (cards[at].kind == CardKind::kAnswer && !cards[at].text.empty()) return &cards[at];
  return nullptr;
}

}  // namespace

std::string bare_text(const LaidLine& line) {
  const std::string text = plain_text(line.line);
  return text.substr(std::min<std::size_t>(line.decoration, text.size()));
}

std::string text_of_card(const Card& card) {
  std::string out;
  if (card.tool) {
    for (const Argument& argument : arguments_of(*card.tool))
      out += (argument.key.empty() ? "" : argument.key + ": ") + argument.value + "\n";
    if (!out.empty() && !card.text.empty()) out += "\n";
  }
  return visible_text(out + (card.tool && card.tool->running() ? card.tool->live.text() : card.text));
}

// Lines that wrapping divided are one again.
std::string TranscriptState::text_between(const Spot& from, const Spot& to) {
  Viewport& window = seen();
  std::string out;
  Spot spot = window.nearest(from);
  while (out.size() < kMostCopied) {
    const LaidLine& line = window.line(spot);
    std::string text = bare_text(line);
    const bool last = !(spot < to);
    const bool joins = line.continues && !last;
    if (!joins || !line.exact) text.erase(text.find_last_not_of(' ') + 1);
    out += text;
    if (joins && !line.exact) out += ' ';
    if (!joins) out += '\n';
    if (last || !window.next(spot)) break;
  }
  return out;
}

// --- Search ---

void Transcript::search(std::string_view query) {
  TranscriptState& state = *state_;
  state.dirty = true;
  state.match_section.reset();
  const std::string safe = visible(query);
  if (safe.empty()) return state.finder.stop();
  state.refresh();
  const std::size_t from = state.view.rows().empty() ? 0 : state.view.rows().front().card;
  state.finder.start(safe, state.pages, state.layouter);
  if (!state.open && state.finder.go_to(from)) state.show_current_match();
}

void Transcript::search_step(int direction) {
  TranscriptState& state = *state_;
  if (!state.finder.active() || state.open) return;
  if (state.finder.step(direction, state.pages, state.layouter)) state.show_current_match();
  state.dirty = true;
}

// Unfolds the card of the present match and brings its line into view.
void TranscriptState::show_current_match() {
  Card& card = cards[finder.card()];
  if (card.folds() && card.fold != Fold::kOpen) {
    card.fold = Fold::kOpen;
    card.fold_chosen = true;
    card.sections.clear();
    card.touch();
  }
  std::uint32_t before = 0;
  std::vector<Section>& sections = layouter.sections(card);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    for (const MatchPiece& piece : finder.needle().find(layouter.lines(card, sections[i]))) {
      if (before + piece.match != finder.ordinal()) continue;
      view.reveal({finder.card(), i, piece.line}, rows / 3);
      match_section = Spot{finder.card(), i, 0};
      match = piece.match;
      dirty = true;
      return;
    }
    before += finder.needle().count(layouter.lines(card, sections[i]));
  }
}

SearchStatus Transcript::search_status() const {
  const Finder& finder = state_->finder;
  return {finder.query(), finder.total(), finder.position(), finder.more()};
}

// --- Copying ---

void Transcript::copy_begin() { copy_begin_at(state_->rows - 1); }

void Transcript::copy_begin_at(int row) {
  TranscriptState& state = *state_;
  state.refresh();
  const auto& rows = state.seen().rows();
  if (rows.empty()) return;
  const auto at = static_cast<std::size_t>(std::clamp(row, 0, static_cast<int>(rows.size()) - 1));
  state.selection = Selection{rows[at], rows[at]};
  state.dirty = true;
}

void Transcript::copy_move(std::int64_t lines) {
  TranscriptState& state = *state_;
  if (!state.selection) return;
  state.refresh();
  Viewport& view = state.seen();
  Spot cursor = view.nearest(state.selection->cursor);
  for (; lines < 0 && view.previous(cursor); ++lines) {
  }
  for (; lines > 0 && view.next(cursor); --lines) {
  }
  state.selection->cursor = cursor;
  keep_cursor_in_view(state);
  state.dirty = true;
}

void Transcript::copy_move_to(int row) {
  TranscriptState& state = *state_;
  state.refresh();
  const auto& rows = state.seen().rows();
  if (!state.selection || rows.empty()) return;
  if (row < 0 || row >= static_cast<int>(rows.size())) return copy_move(row < 0 ? -1 : 1);
  state.selection->cursor = rows[static_cast<std::size_t>(row)];
  state.dirty = true;
}

void Transcript::copy_anchor() {
  if (state_->selection) state_->selection->anchor = state_->selection->cursor;
  state_->dirty = true;
}

void Transcript::copy_end() {
  state_->selection.reset();
  state_->dirty = true;
}

bool Transcript::copying() const { return state_->selection.has_value(); }

std::string Transcript::selected_text() const {
  TranscriptState& state = *state_;
  if (!state.selection || state.seen_pages().size() == 0) return card_text();
  auto [from, to] = *state.selection;
  if (to < from) std::swap(from, to);
  return state.text_between(from, to);
}

std::string Transcript::card_text() const {
  if (state_->open) return text_of_card(state_->open->pages.card(0));
  if (state_->focus) return text_of_card(*state_->focus);
  return last_answer();
}

std::string Transcript::last_answer() const {
  const Card* const answer = last_answer_of(state_->cards);
  return answer ? visible_text(answer->text) : std::string();
}

}  // namespace magi::code::tui
