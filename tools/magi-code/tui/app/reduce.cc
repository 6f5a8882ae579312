#include "tools/magi-code/tui/app/reduce.h"

#include <algorithm>

#include "tools/magi-code/tui/app/steps.h"

namespace magi::code::tui {
namespace {

constexpr int kWheelLines = 3;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

bool is_in(Rect area, const Mouse& mouse) {
  return mouse.row >= area.row && mouse.row < area.row + area.rows && mouse.column >= area.column &&
         mouse.column < area.column + area.columns;
}

Requests run_local(State& state, std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t", 1);
  if (begin == std::string_view::npos) return {};
  if (!state.local_call.empty()) {
    tell(state, "a command runs already: Esc stops it", true);
    give_back(state, line);
    return {};
  }
  RunLocally task{"local-" + std::to_string(state.next_action++), std::string(line.substr(begin))};
  state.local_call = task.call_id;
  state.transcript.local_command(task.call_id, task.command);
  state.transcript.scroll_to_end();
  return {WorkerTask(RememberPrompt{std::string(line)}), WorkerTask(std::move(task))};
}

Requests paste(State& state, const Paste& paste) {
  state.last_key_ms = state.now_ms;
  if (state.panel) {
    PanelAnswer answer = state.panel->paste(paste);
    if (answer.close) close_panel(state);
    return carry_out(state, std::move(answer.effects));
  }
  if (state.search) {
    *state.search += paste.text.substr(0, paste.text.find('\n'));
    state.transcript.search(*state.search);
    return {};
  }
  if (!state.approvals.empty() && state.approvals.front().typing()) {
    state.approvals.front().paste(paste.text);
    return {};
  }
  state.transcript_has_keys = false;
  state.editor.paste(paste.text);
  return offer_candidates(state);
}

Requests end_selection(State& state) {
  if (!state.transcript.copying() || !state.dragged) return {};
  state.dragged = false;
  CopyText copy{state.transcript.selected_text()};
  state.transcript.copy_end();
  if (copy.text.empty()) return {};
  tell(state, "copied " + std::to_string(copy.text.size()) + " bytes");
  return {TerminalWish(std::move(copy))};
}

Requests point(State& state, const Mouse& mouse) {
  using Kind = Mouse::Kind;
  if (state.panel) {
    PanelAnswer answer = state.panel->mouse(mouse, state.areas.panel);
    if (answer.close) close_panel(state);
    return carry_out(state, std::move(answer.effects));
  }
  if (mouse.kind == Kind::kWheelUp) return state.transcript.scroll_lines(-kWheelLines), Requests{};
  if (mouse.kind == Kind::kWheelDown) return state.transcript.scroll_lines(kWheelLines), Requests{};
  const Rect& area = state.areas.transcript;
  if (mouse.kind == Kind::kRelease) return end_selection(state);
  if (mouse.kind == Kind::kDrag && is_in(area, mouse)) {
    if (!state.transcript.copying()) state.transcript.copy_begin_at(state.pressed_row);
    state.dragged = true;
    state.transcript.copy_move_to(mouse.row - area.row);
    return {};
  }
  if (mouse.kind != Kind::kPress) return {};
  if (is_in(state.areas.editor, mouse)) {
    state.transcript_has_keys = false;
    state.editor.click(mouse.row - state.areas.editor.row, mouse.column - state.areas.editor.column);
  } else if (is_in(area, mouse)) {
    state.pressed_row = mouse.row - area.row;
    state.transcript.focus_at(state.pressed_row);
  }
  return {};
}

}  // namespace

void tell(State& state, std::string text, bool is_error) {
  state.notice = Notice{std::move(text), is_error, state.now_ms + kNoticeMs};
}

void append(Requests& requests, Requests more) {
  requests.insert(requests.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Requests send_prompt(State& state, const std::string& text) {
  Input input{text, "ui-" + std::to_string(state.next_action++)};
  Requests requests{WorkerTask(RememberPrompt{text})};
  state.editor.remember(text);
  state.transcript.scroll_to_end();
  if (state.phase == Phase::kRunning || state.phase == Phase::kCompacting || !state.early.empty()) {
    state.waiting.push_back({input.action_id, text});
  } else {
    state.transcript.prompt(text);
    if (state.phase == Phase::kOpening) state.early.push_back({input.action_id, text});
    if (state.phase == Phase::kIdle) {
      state.phase = Phase::kRunning;
      state.run = {};
      state.run.started_ms = state.now_ms;
    }
  }
  requests.push_back(EngineCommand(std::move(input)));
  return requests;
}

Requests submit(State& state, const std::string& text) {
  if (is_blank(text)) return {};
  switch (prompt_kind(text)) {
    case PromptKind::kSlashCommand: {
      state.editor.remember(text);
      Requests requests = obey_line(state, text);
      requests.push_back(WorkerTask(RememberPrompt{text}));
      return requests;
    }
    case PromptKind::kShell: state.editor.remember(text); return run_local(state, text);
    case PromptKind::kPrompt: break;
  }
  return send_prompt(state, text);
}

Requests reduce(State& state, const InputEvent& input) {
  if (const auto* key = std::get_if<Key>(&input)) return press(state, *key);
  if (const auto* pasted = std::get_if<Paste>(&input)) return paste(state, *pasted);
  if (const auto* mouse = std::get_if<Mouse>(&input)) return point(state, *mouse);
  if (const auto* focus = std::get_if<Focus>(&input)) {
    state.terminal_focused = focus->gained;
    return {};
  }
  const auto& size = std::get<Resize>(input);
  state.columns = std::max(1, size.columns);
  state.rows = std::max(1, size.rows);
  return {};
}

std::int64_t approval_arms_at(const State& state) {
  return std::max(state.last_key_ms, state.approvals.front().appeared_ms()) +
         (state.editor.empty() ? kApprovalQuietMs : kApprovalQuietWritingMs);
}

void advance(State& state, std::int64_t now_ms) {
  state.now_ms = now_ms;
  state.transcript.now(now_ms);
  if (!state.settings.reduced_motion) state.transcript.spin(static_cast<std::uint64_t>(now_ms / 100));
  if (state.notice && now_ms >= state.notice->until_ms) state.notice.reset();
}

std::optional<int> next_change_ms(const State& state) {
  std::optional<std::int64_t> next;
  const auto at = [&](std::int64_t ms) { next = std::min(next.value_or(ms), ms); };
  const bool moves = is_busy(state) || state.transcript.animates() || state.phase == Phase::kOpening;
  if (moves) at(state.now_ms + (state.settings.reduced_motion ? 1000 : 100));
  if (state.notice) at(state.notice->until_ms);
  if (!state.approvals.empty()) {
    const std::int64_t armed = approval_arms_at(state);
    if (armed > state.now_ms) at(armed);
  }
  if (!next) return std::nullopt;
  return static_cast<int>(std::max<std::int64_t>(0, *next - state.now_ms));
}

}  // namespace magi::code::tui
