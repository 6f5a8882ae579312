#include "tools/magi-code/tui/app/interface.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "libcommon/base/clock.h"
#include "libcommon/config/trust.h"
#include "libcommon/os/io.h"
#include "libcommon/os/signals.h"
#include "tools/magi-code/command/other_tools.h"
#include "tools/magi-code/tui/app/hand_over.h"
#include "tools/magi-code/tui/app/view.h"

namespace magi::code::tui {
namespace {

constexpr std::int64_t kFrameMs = 16;
constexpr int kPatienceMs = 6'000;  // of the end, for a run to stop and be stored

std::int64_t now_ms() { return monotonic_ns() / 1'000'000; }

TerminalEnvironment terminal_environment(const config::Environment& environment) {
  const auto text = [&](std::string_view name) { return std::string(environment.get_or(name, "")); };
  return {text("TERM"), text("COLORTERM"), text("TERM_PROGRAM"), text("TMUX"), environment.get("NO_COLOR").has_value()};
}

// Terminals that show OSC 9 as a notification; others might print it.
bool shows_notifications(const TerminalEnvironment& environment) {
  constexpr std::array<std::string_view, 4> kPrograms{"iTerm.app", "WezTerm", "ghostty", "kitty"};
  return environment.tmux.empty() &&
         (std::find(kPrograms.begin(), kPrograms.end(), environment.term_program) != kPrograms.end() ||
          environment.term == "xterm-kitty" || environment.term == "foot");
}

ApprovalRequest trust_request(const config::TrustQuestion& question) {
  ApprovalRequest request;
  request.call_id = request.kind = kTrustQuestion;
  for (const std::string& entry : question.entries) request.arguments += entry + "\n";
  if (!request.arguments.empty()) request.arguments.pop_back();
  request.cwd = question.folder;
  request.reason = "These settings run code or widen permissions. They wait until you have trusted exactly this.";
  return request;
}

}  // namespace

Interface::Interface(const Setting& setting, TerminalEnvironment environment, Capabilities capabilities)
    : setting_(setting),
      environment_(std::move(environment)),
      capabilities_(capabilities),
      painter_(capabilities, Theme()),
      workers_(setting, mailbox_),
      engine_(setting, mailbox_) {}

Result<std::unique_ptr<Interface>> Interface::open(const Setting& setting) {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1)
    return make_error(ErrorCode::kUsage, "a terminal or -p TEXT is needed");
  TerminalEnvironment environment = terminal_environment(setting.environment);
  const Capabilities capabilities = known_capabilities(environment);
  if (!capabilities.cursor_addressing)
    return make_error(ErrorCode::kUsage, "a terminal of type ", quoted(environment.term),
                      " cannot show the interface; use -p TEXT");
  std::unique_ptr<Interface> interface(new Interface(setting, std::move(environment), capabilities));
  MAGI_TRY(interface->tty_, Tty::open(STDIN_FILENO, STDOUT_FILENO, capabilities, setting.settings.ui.mouse));
  interface->first_frame();
  return interface;
}

Theme Interface::theme() const {
  const std::string& wanted = state_.settings.theme;
  const bool known = is_theme(wanted);
  return Theme(known ? std::string_view(wanted) : standard_theme(capabilities_.light_background.value_or(false)),
               capabilities_.colours);
}

void Interface::first_frame() {
  state_.settings = setting_.settings.ui;
  state_.saved_theme = state_.settings.theme;
  state_.themes = {"auto"};
  for (const std::string_view name : theme_names()) state_.themes.emplace_back(name);
  state_.editor.use_vi_keys(state_.settings.vi_keys);
  state_.editor.set_placeholder("Ask for a change, / for commands, ! for the shell, @ for files");
  state_.session.cwd = setting_.cwd;
  state_.session.permissions = setting_.permissions();
  for (const std::string& warning : setting_.settings.warnings) state_.transcript.note("warning", warning);
  if (const auto& trust = setting_.settings.trust; trust && !trust->trusted)
    state_.approvals.emplace_back(trust_request(*trust), now_ms());
  const Resize size = tty_->size();
  (void)reduce(state_, InputEvent(size));
  advance(state_, now_ms());
  painter_.set_theme(theme());
  draw();
}

int Interface::run() {
  start();
  while (!leaving_ && ending_signal_ == 0) {
    wait();
    draw_where_due();
  }
  return leave();
}

void Interface::start() {
  os::ignore_sigpipe();
  tty_->write(probe_query(capabilities_));
  engine_.start();
  workers_.begin();
  if (setting_.options.prompt) carry_out(submit(state_, *setting_.options.prompt));
}

int Interface::milliseconds_to_wait() const {
  int wait = 60'000;
  if (const auto next = next_change_ms(state_)) wait = std::min(wait, *next);
  if (decoder_.waits()) wait = std::min<int>(wait, static_cast<int>(input_ms_ + kEscapeWaitMs - state_.now_ms));
  if (changed_ && !tty_->wants_write())
    wait = std::min<int>(wait, static_cast<int>(drawn_ms_ + kFrameMs - state_.now_ms));
  return std::max(0, wait);
}

void Interface::wait() {
  const short tty_events = static_cast<short>(POLLIN | (tty_->wants_write() ? POLLOUT : 0));
  std::array<pollfd, 3> entries{pollfd{tty_->fd(), tty_events, 0}, pollfd{tty_->notice_fd(), POLLIN, 0},
                                pollfd{mailbox_.fd(), POLLIN, 0}};
  const int ready = poll(entries.data(), entries.size(), milliseconds_to_wait());
  const bool moves = next_change_ms(state_).has_value();
  advance(state_, now_ms());
  if (ready <= 0 && moves) changed_ = true;
  if ((entries[1].revents & POLLIN) && take_notices()) return;
  if (entries[0].revents & POLLOUT) tty_->write_more();
  if (entries[0].revents & (POLLIN | POLLHUP | POLLERR))
    take_input();
  else if (decoder_.waits() && state_.now_ms - input_ms_ >= kEscapeWaitMs) {
    DecodedInput input;
    decoder_.expire(input);
    take_decoded(input);
  }
  // What a key changed is shown before anything else is looked at.
  if (pressed_) draw_where_due();
  if (entries[2].revents & POLLIN) take_mail();
}

// True: it is to end.
bool Interface::take_notices() {
  const Tty::Notices notices = tty_->take_notices();
  if (notices.ending != 0) {
    ending_signal_ = notices.ending;
    return true;
  }
  if (!notices.resized && !notices.resumed) return false;
  carry_out(reduce(state_, InputEvent(tty_->size())));
  painter_.invalidate();
  changed_ = pressed_ = true;
  return false;
}

void Interface::take_input() {
  const Result<std::string> bytes = tty_->read();
  if (!bytes) {
    leaving_ = true;
    return;
  }
  if (bytes->empty()) return;
  input_ms_ = state_.now_ms;
  DecodedInput input;
  decoder_.feed(*bytes, input);
  take_decoded(input);
}

void Interface::take_decoded(DecodedInput& input) {
  for (const InputEvent& event : input.events) {
    carry_out(reduce(state_, event));
    changed_ = pressed_ = true;
  }
  bool learned = false;
  for (const Reply& reply : input.replies) learned = learn(capabilities_, reply) || learned;
  if (!learned) return;
  tty_->set_capabilities(capabilities_, state_.settings.mouse);
  painter_.set_capabilities(capabilities_);
  painter_.set_theme(theme());
  changed_ = true;
}

void Interface::take_mail() {
  for (EngineEvent& event : mailbox_.take()) {
    if (const auto* opened = std::get_if<SessionOpened>(&event))
      workers_.session_is(opened->stored ? opened->id : std::string(), opened->instructions);
    carry_out(reduce(state_, std::move(event)));
    changed_ = true;
  }
}

void Interface::draw_where_due() {
  if (!changed_ || !tty_ || tty_->wants_write()) return;
  if (pressed_ || state_.now_ms - drawn_ms_ >= kFrameMs) draw();
}

void Interface::draw() {
  const std::string bytes = painter_.paint(view(state_));
  if (!bytes.empty()) tty_->write(bytes);
  drawn_ms_ = state_.now_ms;
  changed_ = pressed_ = false;
}

void Interface::carry_out(Requests requests) {
  for (Request& request : requests) std::visit([this](auto& one) { carry_out(one); }, request);
}

void Interface::carry_out(EngineCommand& command) { engine_.post(std::move(command)); }
void Interface::carry_out(WorkerTask& task) { workers_.post(std::move(task)); }
void Interface::carry_out(TerminalWish& wish) {
  std::visit([this](const auto& one) { obey(one); }, wish);
}

void Interface::note(std::string level, std::string text) {
  carry_out(reduce(state_, EngineEvent(InterfaceNote{std::move(level), std::move(text)})));
}

void Interface::obey(const EditExternally& wish) {
  tty_->release();
  const Result<std::string> edited = edit_externally(setting_, wish.text);
  tty_->acquire();
  painter_.invalidate();
  carry_out(reduce(state_, EngineEvent(EditedPrompt{edited ? *edited : wish.text})));
  if (!edited) note("error", edited.error().what);
}

void Interface::obey(const RunOnTerminal& wish) {
  tty_->release();
  const Result<int> status = run_on_terminal(setting_, wish.program, wish.arguments);
  tty_->acquire();
  painter_.invalidate();
  if (!status) note("error", status.error().what);
  // Whoever has signed in or out wants the next request to know.
  if (status && *status == kExitOk) engine_.post(ReloadSettings{});
}

void Interface::obey(const Suspend&) {
  tty_->suspend();
  painter_.invalidate();
}

void Interface::obey(const Redraw&) { painter_.invalidate(); }
void Interface::obey(const SetTheme&) {
  painter_.set_theme(theme());
  painter_.invalidate();
}

void Interface::obey(const Announce& wish) {
  std::string bytes = "\a";
  if (shows_notifications(environment_)) bytes = "\x1b]9;" + wish.text + "\a";
  tty_->write(bytes);
}

void Interface::obey(const CopyText& wish) {
  const std::string bytes = clipboard_sequence(wish.text, environment_);
  if (bytes.empty()) return note("warning", "that is too long for the terminal's clipboard");
  tty_->write(bytes);
}

void Interface::obey(const Leave&) { leaving_ = true; }

int Interface::leave() {
  tty_.reset();
  if (!engine_.stop(kPatienceMs)) {
    // A thread that hangs must not keep the person waiting; what was stored is whole.
    (void)os::write_all(STDERR_FILENO, "magi-code: the session did not end in time\n");
    _exit(ending_signal_ != 0 ? 128 + ending_signal_ : kExitFailed);
  }
  const std::string& hint = engine_.resume_hint();
  if (!hint.empty() && ending_signal_ == 0) (void)os::write_all(STDOUT_FILENO, "to go on: " + hint + "\n");
  return ending_signal_ != 0 ? 128 + ending_signal_ : kExitOk;
}

}  // namespace magi::code::tui
