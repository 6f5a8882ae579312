// What the engine and the workers tell.
#include <algorithm>

#include "tools/magi-code/tui/app/steps.h"

namespace magi::code::tui {
namespace {

// A turn that took so long is worth a bell when it ends unseen.
constexpr std::int64_t kLongTurnMs = 10'000;

std::optional<WaitingInput> take_waiting(State& state, std::string_view action_id) {
  const auto found = std::find_if(state.waiting.begin(), state.waiting.end(),
                                  [&](const WaitingInput& input) { return input.action_id == action_id; });
  if (found == state.waiting.end()) return std::nullopt;
  WaitingInput input = std::move(*found);
  state.waiting.erase(found);
  return input;
}

void begin_run(State& state) {
  if (state.phase == Phase::kRunning) return;
  state.phase = Phase::kRunning;
  state.run = {};
  state.run.started_ms = state.now_ms;
}

struct Listener {
  State& state;
  Requests out = {};

  void operator()(SessionRecord& record) { state.transcript.session(record); }
  void operator()(TurnRecord& record) {
    if (record.status == "started") begin_run(state);
    state.transcript.turn(record);
  }
  void operator()(TextDelta& delta) {
    state.run.streamed_bytes += static_cast<std::int64_t>(delta.text.size());
    state.transcript.text(delta.text);
  }
  void operator()(ReasoningDelta& delta) {
    state.run.streamed_bytes += static_cast<std::int64_t>(delta.text.size());
    state.transcript.reasoning(delta.text);
  }
  void operator()(event::Attempt& attempt) { state.transcript.attempt(attempt); }
  void operator()(event::ToolCall& call) { state.transcript.tool_call(call); }
  void operator()(event::ToolProgress& progress) { state.transcript.tool_progress(progress); }
  void operator()(event::ToolAnswer& answer) {
    drop_approval(answer.call_id);
    state.transcript.tool_result(answer);
  }
  void operator()(AutomaticUserPrompt& record) { state.transcript.automatic_user_prompt(record); }
  void operator()(CompactionRecord& record) { state.transcript.compaction(record); }
  void operator()(DiagnosticRecord& record) { state.transcript.diagnostic(record); }
  void operator()(event::Usage& usage) {
    state.run.input_tokens += usage.input_tokens;
    state.run.output_tokens += usage.output_tokens;
    state.run.streamed_bytes = 0;
    state.transcript.usage(usage);
  }
  void operator()(ApprovalRequest& request) {
    state.transcript.approval_request(request);
    state.approvals.emplace_back(std::move(request), state.now_ms);
    if (!state.terminal_focused) announce("magi-code: a call waits for your approval");
  }
  void operator()(ApprovalRejected& rejected) {
    tell(state, std::move(rejected.why), true);
    if (!state.answered || state.answered->request().call_id != rejected.call_id) return;
    state.approvals.push_front(*std::move(state.answered));
    state.answered.reset();
  }
  void operator()(Delivered& record) {
    if (const auto input = take_waiting(state, record.id)) state.transcript.prompt(input->text);
    state.transcript.delivered(record);
  }
  void operator()(Undelivered& record) {
    (void)take_waiting(state, record.action_id);
    std::erase_if(state.early, [&](const WaitingInput& input) { return input.action_id == record.action_id; });
    state.transcript.undelivered(record.text, record.action_id);
    returned.push_back(std::move(record.text));
  }
  void operator()(Recalled& record) {
    if (!record.found) return tell(state, "it has been delivered already");
    (void)take_waiting(state, record.action_id);
    give_back(state, record.text);
  }
  void operator()(SessionOpened& opened);
  void operator()(OpenFailed& failed) {
    state.phase = Phase::kClosed;
    state.context.reset();
    state.transcript.note("error", failed.what);
    if (!failed.advice.empty()) state.transcript.note("info", failed.advice);
  }
  void operator()(ContextReport& report) {
    state.context = std::move(report);
    state.context_unknown.clear();
    append(out, show_context(state));
  }
  void operator()(ContextUnknown& unknown) {
    state.context.reset();
    state.context_unknown = std::move(unknown.why);
    append(out, show_context(state));
  }
  void operator()(RunEnded& ended);
  void operator()(InterfaceNote& note) { state.transcript.note(note.level, note.text); }
  void operator()(LocalEnded&) { state.local_call.clear(); }
  void operator()(Loaded& loaded);
  void operator()(Completions& found) {
    (found.trigger == '@' ? state.files : state.skills) = found.candidates;
    state.editor.set_candidates(found.trigger, found.candidates);
  }
  void operator()(PromptHistory& history) { state.editor.set_history(std::move(history.entries)); }
  void operator()(EditedPrompt& edited) { state.editor.set_text(edited.text); }
  void operator()(config::InterfaceSettings& settings) {
    const bool new_theme = settings.theme != state.settings.theme;
    state.settings = std::move(settings);
    state.saved_theme = state.settings.theme;
    state.editor.use_vi_keys(state.settings.vi_keys);
    if (new_theme) out.push_back(TerminalWish(SetTheme{state.settings.theme}));
  }
  void operator()(SettingsChanged&) { out.push_back(EngineCommand(ReloadSettings{})); }
  void operator()(EngineEnded&) { out.push_back(TerminalWish(Leave{})); }

  void drop_approval(std::string_view call_id) {
    std::erase_if(state.approvals, [&](const ApprovalCard& card) { return card.request().call_id == call_id; });
  }
  void announce(std::string text) {
    if (state.settings.notify) out.push_back(TerminalWish(Announce{std::move(text)}));
  }

  std::vector<std::string> returned = {};
};

void Listener::operator()(SessionOpened& opened) {
  const bool draw_early_again = opened.history != nullptr;
  if (opened.history) {
    state.transcript = std::move(*opened.history);
    state.transcript.now(state.now_ms);
    state.transcript.scroll_to_end();
  }
  state.session = {std::move(opened.id),
                   std::move(opened.provider),
                   std::move(opened.model),
                   std::move(opened.permissions),
                   std::move(opened.cwd),
                   std::move(opened.instructions),
                   opened.stored};
  state.phase = Phase::kIdle;
  if (!opened.draft.empty()) give_back(state, opened.draft);
  for (const WaitingInput& input : std::exchange(state.early, {})) {
    if (draw_early_again) state.transcript.prompt(input.text);
    begin_run(state);
  }
}

void Listener::operator()(RunEnded& ended) {
  const std::int64_t took_ms = state.now_ms - state.run.started_ms;
  const bool was_turn = state.phase == Phase::kRunning;
  state.phase = Phase::kIdle;
  std::erase_if(state.approvals, [](const ApprovalCard& card) { return !card.is_trust_question(); });
  if (!ended.error.empty()) state.transcript.note("error", ended.error);
  if (!state.terminal_focused && took_ms >= kLongTurnMs)
    announce(was_turn ? "magi-code: the turn has ended (" + ended.status + ")" : "magi-code: compacted");
}

void Listener::operator()(Loaded& loaded) {
  if (const auto* data = loaded.data ? std::get_if<SettingsData>(&*loaded.data) : nullptr;
      data && !data->saved_scope.empty() && data->refused_why.empty())
    out.push_back(EngineCommand(ReloadSettings{}));
  if (!state.panel) return;
  PanelAnswer answer = state.panel->take(loaded);
  if (answer.close) close_panel(state);
  append(out, carry_out(state, std::move(answer.effects)));
}

}  // namespace

Requests reduce(State& state, EngineEvent event) {
  Listener listener{state};
  std::visit(listener, event);
  for (const std::string& text : listener.returned) give_back(state, text);
  return std::move(listener.out);
}

}  // namespace magi::code::tui
