#include "tools/magi-code/tui/app/view.h"

#include <algorithm>

#include "tools/magi-code/tui/app/border.h"
#include "tools/magi-code/tui/app/steps.h"
#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

constexpr int kMostWaiting = 3;   // inputs that are shown one by one
constexpr int kPromptMargin = 2;  // "> "

int editor_rows(State& state) {
  const int most = std::max(1, std::min(state.rows / 3, 12));
  return state.editor.layout(std::max(1, state.columns - kPromptMargin), most);
}

Areas arrange(State& state) {
  Wishes wishes;
  wishes.editor = editor_rows(state);
  wishes.notice = state.notice || state.search ? 1 : 0;
  wishes.waiting = std::min(static_cast<int>(state.waiting.size()), kMostWaiting + 1);
  if (!state.approvals.empty() && !state.panel)
    wishes.approval = state.approvals.front().layout(state.columns, std::max(1, state.rows * 2 / 3));
  if (state.editor.completion_open() && !state.panel) wishes.completion = std::min(state.editor.completion_rows(), 10);
  return divide(state.rows, state.columns, wishes);
}

std::string first_line(const std::string& text) {
  const std::size_t end = text.find('\n');
  return visible(text.substr(0, end)) + (end == std::string::npos ? "" : " \u2026");
}

// Oldest first, as they will be delivered; what does not fit is counted.
void draw_waiting(const State& state, Surface& surface) {
  const Rect area = state.areas.waiting;
  const int count = static_cast<int>(state.waiting.size());
  for (int row = 0; row < area.rows; ++row) {
    const bool counts = row == area.rows - 1 && count > area.rows;
    const WaitingInput& input = state.waiting[static_cast<std::size_t>(row)];
    const std::string text = counts ? "and " + std::to_string(count - row) + " more" : first_line(input.text);
    Line line;
    line.add(" \u23f5 ", {Role::kAccent}).add(text, {Role::kMuted, false, true});
    surface.put(area, area.row + row, area.column, line);
    if (row > 0) continue;
    const std::string hint = " Alt-C takes the newest back ";
    const int at = area.column + area.columns - columns_of(hint);
    if (columns_of(text) + 5 < at) surface.put(area, area.row, at, hint, {Role::kMuted});
  }
}

void draw_search(const State& state, Surface& surface) {
  const Rect area = state.areas.notice;
  const SearchStatus status = state.transcript.search_status();
  Line line;
  line.add(" search: ", {Role::kAccent, true}).add(visible(*state.search));
  const int cursor = surface.put(area, area.row, area.column, line);
  std::string found;
  if (!status.query.empty())
    found = "  " + std::to_string(status.current) + "/" + std::to_string(status.matches) + (status.more ? "+" : "");
  surface.put(area, area.row, cursor + 1, found + "  \u2191\u2193 Enter Esc", {Role::kMuted});
  surface.set_cursor(area.row, std::min(cursor, area.column + area.columns - 1));
}

void draw_notice(const State& state, Surface& surface) {
  if (state.areas.notice.rows == 0) return;
  if (state.search) return draw_search(state, surface);
  if (!state.notice) return;
  const Rect area = state.areas.notice;
  surface.put(area, area.row, area.column + 1, visible(state.notice->text),
              {state.notice->is_error ? Role::kError : Role::kMuted});
}

void draw_transcript(State& state, Surface& surface) {
  Rect area = state.areas.transcript;
  if (state.transcript.card_is_open() && area.rows > 2) {
    area = surface.frame(area, state.transcript.card_title());
  }
  state.transcript.layout(std::max(1, area.columns), std::max(0, area.rows));
  if (area.rows > 0) state.transcript.draw(surface, area);
}

void draw_prompt(State& state, Surface& surface) {
  const Rect area = state.areas.editor;
  if (area.rows == 0) return;
  const bool has_keys = !state.panel && !state.transcript_has_keys && !state.search;
  surface.put(area, area.row, area.column, "\u276f", {has_keys ? Role::kAccent : Role::kMuted, true});
  state.editor.draw(surface,
                    {area.row, area.column + kPromptMargin, area.rows, std::max(0, area.columns - kPromptMargin)});
  if (!has_keys) surface.set_cursor(-1, -1);
}

}  // namespace

Surface view(State& state) {
  Surface surface(state.rows, state.columns);
  state.areas = arrange(state);
  const Areas& areas = state.areas;
  draw_prompt(state, surface);
  if (areas.border.rows > 0)
    surface.put(areas.border, areas.border.row, areas.border.column, border_line(state, areas.border.columns));
  if (areas.foot.rows > 0)
    surface.put(areas.foot, areas.foot.row, areas.foot.column, foot_line(state, areas.foot.columns));
  if (areas.completion.rows > 0) state.editor.draw_completion(surface, areas.completion);
  draw_waiting(state, surface);
  draw_notice(state, surface);
  if (!state.panel || areas.panel != areas.transcript) draw_transcript(state, surface);
  if (areas.approval.rows > 0)
    state.approvals.front().draw(surface, areas.approval, state.now_ms >= approval_arms_at(state));
  if (!state.panel) return surface;
  const Rect inside = surface.frame(areas.panel, Line(" " + visible(state.panel->title()) + " ", {Role::kTitle, true}));
  surface.fill(inside);
  state.panel->draw(surface, inside);
  return surface;
}

}  // namespace magi::code::tui
