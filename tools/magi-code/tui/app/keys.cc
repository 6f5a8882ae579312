// Which key does what: whatever stands in front takes it first.
#include <algorithm>
#include <utility>

#include "tools/magi-code/tui/app/steps.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

bool is_plain(const Key& key, char c) {
  return key.code == KeyCode::kText && !key.ctrl && !key.alt && key.text.size() == 1 && key.text[0] == c;
}

Requests interrupt(State& state) {
  tell(state, "stopping...");
  return {EngineCommand(Interrupt{})};
}

Requests copied(State& state, std::string text) {
  if (text.empty()) {
    tell(state, "there is nothing to copy");
    return {};
  }
  tell(state, "copied " + std::to_string(text.size()) + " bytes");
  return {TerminalWish(CopyText{std::move(text)})};
}

// Ctrl-C: whatever is nearest, from the text that is being written to the program itself.
Requests control_c(State& state) {
  if (state.transcript.copying()) {
    state.transcript.copy_end();
    return {};
  }
  if (state.panel) {
    close_panel(state);
    return {};
  }
  if (!state.editor.empty()) {
    state.editor.clear();
    return {};
  }
  if (state.leave_armed_ms >= 0 && state.now_ms - state.leave_armed_ms <= kLeaveMs) return {TerminalWish(Leave{})};
  state.leave_armed_ms = state.now_ms;
  if (!state.local_call.empty()) {
    tell(state, "stopping the command; Ctrl-C again leaves");
    return {WorkerTask(StopLocally{})};
  }
  if (is_busy(state)) {
    tell(state, "stopping; Ctrl-C again leaves");
    return {EngineCommand(Interrupt{})};
  }
  tell(state, "Ctrl-C again leaves");
  return {};
}

// Keys that mean the same wherever one is; nothing: it is none of them.
std::optional<Requests> anywhere(State& state, const Key& key) {
  if (key.is_ctrl('c')) return control_c(state);
  if (key.is_ctrl('l')) return Requests{TerminalWish(Redraw{})};
  if (key.is_ctrl('z')) return Requests{TerminalWish(Suspend{})};
  if (key.code == KeyCode::kF1 && !state.panel) return open_panel(state, "help", {});
  return std::nullopt;
}

Requests panel_key(State& state, const Key& key) {
  PanelAnswer answer = state.panel->key(key);
  const bool theme_settled = answer.close && state.panel_name == kThemePanel;
  if (answer.close) close_panel(state);
  Requests requests = carry_out(state, std::move(answer.effects));
  if (theme_settled && state.settings.theme != state.saved_theme) {
    state.saved_theme = state.settings.theme;
    requests.push_back(WorkerTask(SaveTheme{state.settings.theme}));
  }
  return requests;
}

bool approval_takes_keys(const State& state) {
  if (state.approvals.empty() || state.panel || state.search || state.transcript.copying()) return false;
  // A line that is being written for the card is the card's.
  return state.approvals.front().typing() || state.now_ms >= approval_arms_at(state);
}

Requests trust_key(State& state, const Key& key) {
  const std::optional<AnswerApproval> answer = state.approvals.front().key(key);
  if (!answer) return {};
  state.approvals.pop_front();
  if (answer->decision == "allow") return {WorkerTask(TrustProject{})};
  state.transcript.note("info", "what this project's settings ask for is not in force; `magi-code trust` accepts it");
  return {};
}

Requests approval_key(State& state, const Key& key) {
  ApprovalCard& card = state.approvals.front();
  if (card.is_trust_question()) return trust_key(state, key);
  if (key.code == KeyCode::kEscape && !card.escape()) {
    tell(state, "y allows it, n refuses it; Ctrl-C stops the turn");
    return {};
  }
  std::optional<AnswerApproval> answer = card.key(key);
  if (!answer) return {};
  state.transcript.approval_answered(answer->call_id, answer->decision, answer->text);
  state.answered = std::move(card);
  state.approvals.pop_front();
  return {EngineCommand(*std::move(answer))};
}

// --- The line that is searched for ---

Requests search_key(State& state, const Key& key) {
  std::string& query = *state.search;
  if (key.code == KeyCode::kEscape) {
    state.search.reset();
    state.transcript.search({});
    return {};
  }
  if (key.code == KeyCode::kEnter) {
    state.search.reset();
    state.transcript_has_keys = true;
    return {};
  }
  if (key.code == KeyCode::kUp || key.code == KeyCode::kDown) {
    state.transcript.search_step(key.code == KeyCode::kUp ? -1 : 1);
    return {};
  }
  if (key.code == KeyCode::kBackspace) {
    if (!query.empty()) query.erase(cluster_before(query, query.size()));
  } else if (key.code == KeyCode::kText && !key.ctrl && !key.alt) {
    query += key.text;
  } else {
    return {};
  }
  state.transcript.search(query);
  return {};
}

// --- The transcript ---

Requests recall(State& state) {
  if (state.waiting.empty()) {
    tell(state, "no input is waiting");
    return {};
  }
  return {EngineCommand(Recall{})};
}

Requests copy_key(State& state, const Key& key) {
  Transcript& transcript = state.transcript;
  const int page = std::max(1, state.areas.transcript.rows - 1);
  if (key.code == KeyCode::kEscape || is_plain(key, 'q')) {
    transcript.copy_end();
  } else if (key.code == KeyCode::kUp || is_plain(key, 'k')) {
    transcript.copy_move(-1);
  } else if (key.code == KeyCode::kDown || is_plain(key, 'j')) {
    transcript.copy_move(1);
  } else if (key.code == KeyCode::kPageUp) {
    transcript.copy_move(-page);
  } else if (key.code == KeyCode::kPageDown) {
    transcript.copy_move(page);
  } else if (is_plain(key, ' ') || is_plain(key, 'v')) {
    transcript.copy_anchor();
  } else if (key.code == KeyCode::kEnter || is_plain(key, 'y')) {
    std::string text = transcript.selected_text();
    transcript.copy_end();
    return copied(state, std::move(text));
  }
  return {};
}

// Moving about; false: no key of that kind.
bool scroll_key(State& state, const Key& key, bool letters) {
  Transcript& transcript = state.transcript;
  if (key.code == KeyCode::kPageUp) return transcript.scroll_pages(-1), true;
  if (key.code == KeyCode::kPageDown) return transcript.scroll_pages(1), true;
  const bool far = key.ctrl || letters;
  if (key.code == KeyCode::kHome && far) return transcript.scroll_to_top(), true;
  if (key.code == KeyCode::kEnd && far) return transcript.scroll_to_end(), true;
  if (key.code == KeyCode::kUp && (key.shift || letters)) return transcript.scroll_lines(-1), true;
  if (key.code == KeyCode::kDown && (key.shift || letters)) return transcript.scroll_lines(1), true;
  if (key.code == KeyCode::kUp && key.alt) return transcript.jump_prompt(-1), true;
  if (key.code == KeyCode::kDown && key.alt) return transcript.jump_prompt(1), true;
  if (!letters || key.code != KeyCode::kText || key.alt) return false;
  if (is_plain(key, 'k')) return transcript.scroll_lines(-1), true;
  if (is_plain(key, 'j')) return transcript.scroll_lines(1), true;
  if (is_plain(key, 'g')) return transcript.scroll_to_top(), true;
  if (is_plain(key, 'G')) return transcript.scroll_to_end(), true;
  if (is_plain(key, ' ') || key.is_ctrl('d')) return transcript.scroll_pages(1), true;
  if (is_plain(key, 'b') || key.is_ctrl('u')) return transcript.scroll_pages(-1), true;
  if (is_plain(key, '[')) return transcript.jump_prompt(-1), true;
  if (is_plain(key, ']')) return transcript.jump_prompt(1), true;
  return false;
}

void to_prompt(State& state) {
  state.transcript_has_keys = false;
  state.transcript.clear_focus();
}

Requests transcript_key(State& state, const Key& key) {
  Transcript& transcript = state.transcript;
  if (key.code == KeyCode::kEscape) {
    if (!transcript.search_status().query.empty())
      transcript.search({});
    else
      to_prompt(state);
    return {};
  }
  if (scroll_key(state, key, true)) return {};
  if (key.code == KeyCode::kTab) {
    if (key.shift || transcript.card_is_open())
      to_prompt(state);
    else
      transcript.focus_next(1);
    return {};
  }
  if (is_plain(key, 'i')) return to_prompt(state), Requests{};
  if (is_plain(key, 'N') || is_plain(key, 'n')) {
    if (!transcript.search_status().query.empty())
      transcript.search_step(is_plain(key, 'n') ? 1 : -1);
    else
      transcript.focus_next(is_plain(key, 'n') ? 1 : -1);
    return {};
  }
  if (is_plain(key, 'p')) return transcript.focus_next(-1), Requests{};
  if (is_plain(key, '/')) return state.search = std::string(), Requests{};
  if (key.code == KeyCode::kEnter) return (void)transcript.open_card(), Requests{};
  if (is_plain(key, 'o') || is_plain(key, 'f')) return (void)transcript.toggle_fold(), Requests{};
  if (is_plain(key, 'F') || is_plain(key, 'U')) return transcript.fold_all(is_plain(key, 'F')), Requests{};
  if (is_plain(key, 'v')) return transcript.copy_begin(), Requests{};
  if (is_plain(key, 'y')) return copied(state, transcript.card_text());
  if (key.is_ctrl('o'))
    return transcript.card_is_open() ? transcript.close_card() : (void)transcript.open_card(), Requests{};
  if (key.is_alt('c')) return recall(state);
  if (key.is_ctrl('f')) return state.search = std::string(), Requests{};
  return {};
}

// --- The prompt ---

Requests escape(State& state) {
  if (!state.local_call.empty()) return {WorkerTask(StopLocally{})};
  if (is_busy(state)) return interrupt(state);
  if (!state.transcript.search_status().query.empty()) state.transcript.search({});
  return {};
}

Requests unhandled(State& state, const Key& key) {
  if (key.code == KeyCode::kEscape) return escape(state);
  if (key.code == KeyCode::kTab) return state.transcript_has_keys = true, Requests{};
  if (key.is_ctrl('d') && state.editor.empty()) return {TerminalWish(Leave{})};
  (void)scroll_key(state, key, false);
  return {};
}

// Keys of the prompt that the editor is not asked about; nothing: it is.
std::optional<Requests> before_editor(State& state, const Key& key) {
  if (key.is_alt('c')) return recall(state);
  if (key.is_ctrl('f') && state.editor.empty()) return state.search = std::string(), Requests{};
  if (key.is_ctrl('o')) return (void)state.transcript.open_card(), state.transcript_has_keys = true, Requests{};
  if (key.is_ctrl('d') && state.editor.empty()) return Requests{TerminalWish(Leave{})};
  return std::nullopt;
}

Requests editor_key(State& state, const Key& key) {
  if (auto requests = before_editor(state, key)) return *std::move(requests);
  EditorAnswer answer = state.editor.key(key);
  switch (answer.kind) {
    case EditorAnswer::Kind::kIgnored: return unhandled(state, key);
    case EditorAnswer::Kind::kHandled: return offer_candidates(state);
    case EditorAnswer::Kind::kSubmit: return submit(state, answer.text);
    case EditorAnswer::Kind::kEditExternally: return {TerminalWish(EditExternally{std::move(answer.text)})};
  }
  return {};
}

}  // namespace

Requests press(State& state, const Key& key) {
  const bool for_card = approval_takes_keys(state);
  state.last_key_ms = state.now_ms;
  if (!key.is_ctrl('c')) state.leave_armed_ms = -1;
  if (auto requests = anywhere(state, key)) return *std::move(requests);
  if (state.panel) return panel_key(state, key);
  if (for_card) return approval_key(state, key);
  if (state.search) return search_key(state, key);
  if (state.transcript.copying()) return copy_key(state, key);
  if (state.transcript.card_is_open() && key.code == KeyCode::kEscape) {
    state.transcript.close_card();
    return {};
  }
  if (state.transcript_has_keys) return transcript_key(state, key);
  return editor_key(state, key);
}

void give_back(State& state, std::string_view text) {
  if (state.editor.empty()) return state.editor.set_text(text);
  state.editor.set_text(std::string(text) + "\n" + state.editor.text());
}

}  // namespace magi::code::tui
