#include <cstdio>

#include "tools/magi-code/tui/app/steps.h"

namespace magi::code::tui {
namespace {

// One effect after another; each may change the state and ask for more.
struct Carrier {
  State& state;
  Requests out = {};

  void operator()(SubmitPrompt& effect) { append(out, submit(state, effect.text)); }
  void operator()(RunSlashCommand& effect) { append(out, run_slash(state, effect.name, effect.arguments)); }
  void operator()(OpenSession& effect) {
    if (is_busy(state)) return tell(state, "a turn is running: stop it with Esc first", true);
    close_panel(state);
    state.transcript = Transcript();
    state.transcript.now(state.now_ms);
    state.phase = Phase::kOpening;
    state.context.reset();
    state.run = {};
    out.push_back(EngineCommand(std::move(effect)));
  }
  void operator()(RenameSession& effect) {
    if (effect.id != state.session.id) return out.push_back(WorkerTask(std::move(effect)));
    out.push_back(EngineCommand(std::move(effect)));
    out.push_back(WorkerTask(Load{"sessions", {}}));
  }
  void operator()(DeleteSession& effect) {
    if (effect.id == state.session.id) return tell(state, "that session is open: /new begins another one first", true);
    out.push_back(WorkerTask(std::move(effect)));
  }
  void operator()(RewindTo& effect) {
    if (is_busy(state)) return tell(state, "a turn is running: stop it with Esc first", true);
    close_panel(state);
    out.push_back(EngineCommand(std::move(effect)));
  }
  void operator()(ChooseModel& effect) {
    if (is_busy(state)) return tell(state, "a turn is running: choose the model when it has ended", true);
    close_panel(state);
    state.phase = Phase::kOpening;
    out.push_back(EngineCommand(std::move(effect)));
  }
  void operator()(SaveSettings& effect) { out.push_back(WorkerTask(std::move(effect))); }
  void operator()(EditComment& effect) { out.push_back(WorkerTask(std::move(effect))); }
  void operator()(ChooseTheme& effect) {
    state.settings.theme = effect.name;
    out.push_back(TerminalWish(SetTheme{effect.name}));
  }
  void operator()(AnswerApproval& effect) { out.push_back(EngineCommand(std::move(effect))); }
  void operator()(Load& effect) {
    if (effect.panel != kContextPanel) return out.push_back(WorkerTask(std::move(effect)));
    append(out, show_context(state));
    if (!is_busy(state)) out.push_back(EngineCommand(Measure{}));
  }
  void operator()(OpenPanel& effect) { append(out, open_panel(state, effect.name, effect.arguments)); }
  void operator()(Notify& effect) { tell(state, std::move(effect.text), effect.is_error); }
  void operator()(CopyText& effect) { out.push_back(TerminalWish(std::move(effect))); }
  void operator()(InsertText& effect) { state.editor.insert(effect.text); }
};

// The numbers of magi-tokens and magi_control.
std::string context_text(const ContextReport& report) {
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.1f", report.percent);
  std::string text = "context " + std::to_string(report.total) + " of " + std::to_string(report.max_tokens) +
                     " tokens, " + percent + "%\ncounted: " + report.method + "\nat most " +
                     std::to_string(report.usable) + " are sent\n";
  text += report.compaction_cutoff ? "compacted at " + std::to_string(*report.compaction_cutoff) + "\n"
                                   : "automatic compaction is off\n";
  return text;
}

}  // namespace

Requests carry_out(State& state, Effects effects) {
  Carrier carrier{state};
  for (Effect& effect : effects) std::visit(carrier, effect);
  return std::move(carrier.out);
}

Requests open_panel(State& state, std::string_view name, std::string_view arguments) {
  PanelContext context{state.session.id, state.session.provider, state.session.model, state.settings.theme,
                       state.themes,     is_busy(state),         state.panel_memory};
  auto panel = make_panel(name, arguments, context);
  if (!panel) {
    tell(state, "no panel " + std::string(name), true);
    return {};
  }
  state.panel = std::move(panel);
  state.panel_name = name;
  return carry_out(state, state.panel->opened());
}

Requests show_context(State& state) {
  if (!state.panel || state.panel_name != kContextPanel) return {};
  if (!state.context && state.context_unknown.empty()) return {};
  TextData data{"Context", state.context ? context_text(*state.context) : state.context_unknown + "\n"};
  PanelAnswer answer = state.panel->take(Loaded{std::string(kContextPanel), {}, PanelData(std::move(data))});
  return carry_out(state, std::move(answer.effects));
}

void close_panel(State& state) {
  state.panel.reset();
  state.panel_name.clear();
}

}  // namespace magi::code::tui
