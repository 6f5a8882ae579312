#include <unistd.h>

#include <cstdio>

#include "libcommon/os/io.h"
#include "libcommon/os/signals.h"
#include "tools/magi-code/command/changes.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/command/driver.h"
#include "tools/magi-code/front/display.h"
#include "tools/magi-code/front/line_input.h"

namespace magi::code {
namespace {

constexpr std::string_view kPromptMark = "> ";
constexpr std::string_view kHelp =
    "/context               how full the context is\n"
    "/compact [WHAT]        summarise the conversation so far; WHAT tells what to keep\n"
    "/changes               what the tools changed in this session\n"
    "/rewind                how to take changes and prompts back\n"
    "/exit                  end; magi-code --continue goes on\n"
    "Anything else is for the model; while it works, what you type reaches it at the next step.\n";

void show(std::string_view text) { (void)os::write_all(STDOUT_FILENO, text); }

// The print sink, with approvals asked on the terminal.
class ConversationSink : public PrintSink {
 public:
  using PrintSink::PrintSink;
  void approval_request(const ApprovalRequest& request) override {
    open_call_ = request.call_id;
    show("\n" + display_safe(request.name) + " " + one_line(request.arguments, 200) + "\n" +
         display_safe(request.reason) + "\nallow it? [y/N] ");
  }
  // The call that waits for an answer; empty: none.
  std::string take_open_call() { return std::exchange(open_call_, {}); }

 private:
  std::string open_call_;
};

bool is_command(std::string_view line, std::string_view name) {
  return line.starts_with(name) &&
         (line.size() == name.size() || line[name.size()] == ' ' || line[name.size()] == '\t');
}

// "/hlep", but not "/usr/bin is full": a path or a sentence is for the model.
bool looks_like_command(std::string_view line) {
  return line.size() > 1 && line[0] == '/' &&
         line.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", 1) == std::string_view::npos;
}

// The numbers of magi-tokens and magi_control.
std::string context_lines(const TokenReport& report) {
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.1f", report.percent);
  std::string text = "context " + std::to_string(report.total) + " of " + std::to_string(report.max_tokens) +
                     " tokens, " + percent + "% (" + display_safe(report.method) + "); at most " +
                     std::to_string(report.usable) + " are sent";
  if (report.compaction_cutoff) text += ", compacted at " + std::to_string(*report.compaction_cutoff);
  return text + "\n";
}

class Conversation {
 public:
  // `changes` is the answer to /changes, `rewind` to /rewind.
  Conversation(Driver& driver, ConversationSink& sink, std::function<std::string()> changes, std::string rewind)
      : driver_(driver), sink_(sink), changes_(std::move(changes)), rewind_(std::move(rewind)) {}

  void on_line(const std::optional<InputLine>& input) {
    const std::string line = input ? input->text.value_or("") : "/exit";
    if (line == "/exit" || line == "/quit") {
      ended_ = true;
      driver_.run().cancel();
      return;
    }
    if (const std::string call = sink_.take_open_call(); driver_.run().awaits_approval(call))
      return driver_.run().approve(call, line == "y" || line == "yes");
    if (line.find_first_not_of(" \t\r") == std::string::npos) return idle();
    if (is_command(line, "/changes") || is_command(line, "/rewind")) {
      show(is_command(line, "/changes") ? changes_() : rewind_);
      return idle();
    }
    if (line == "/help" || (looks_like_command(line) && line != "/compact" && line != "/context")) {
      show(line == "/help" ? std::string(kHelp) : "no command " + line + "; /help lists them\n");
      return idle();
    }
    if (is_command(line, "/compact") || is_command(line, "/context")) return on_command(line);
    if (driver_.run().active()) return driver_.run().steer({line, {}, "steering", {}, {}});
    start(line);
  }

  void start(const std::string& text) {
    driver_.start({text, {}, "user", {}, {}}, [this](const Outcome& outcome) {
      show(outcome.text.empty() || outcome.text.back() != '\n' ? "\n" : "");
      if (outcome.error) show(display_safe(outcome.error->message) + "\n");
      idle();
    });
  }
  void idle() {
    if (!driver_.run().active()) show(kPromptMark);
  }
  void on_command(const std::string& line) {
    if (driver_.run().active()) return show("a turn is running: wait for its end, or stop it with Ctrl-C\n");
    if (is_command(line, "/context")) {
      return driver_.run().measure([this](const Result<TokenReport>& report) {
        show(report ? context_lines(*report) : display_safe(report.error().what) + "\n");
        idle();
      });
    }
    const std::size_t text = line.find_first_not_of(" \t", std::string_view("/compact").size());
    show("compacting...\n");
    driver_.compact(text == std::string::npos ? "" : line.substr(text), [this](const Outcome& outcome) {
      if (outcome.error) show(display_safe(outcome.error->message) + "\n");
      idle();
    });
  }
  bool done() const { return ended_ && !driver_.run().active(); }

 private:
  Driver& driver_;
  ConversationSink& sink_;
  std::function<std::string()> changes_;
  std::string rewind_;
  bool ended_ = false;
};

}  // namespace

Result<int> run_conversation(const Setting& setting) {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1)
    return make_error(ErrorCode::kUsage, "a terminal or -p TEXT is needed");
  os::ignore_sigpipe();
  ConversationSink sink(print_options(setting));
  MAGI_TRY(const std::unique_ptr<Assembly> assembly, Assembly::create(setting, Assembly::Purpose::kRun, &sink));
  MAGI_CHECK(assembly->load());
  Driver driver(setting, *assembly, sink, true);
  const std::string id = assembly->journal().session_id();
  // An open conversation holds its session, and a rewind goes on in another one.
  Conversation conversation(
      driver, sink, [&] { return changes_text(setting.home, id); },
      id.empty() ? "nothing is kept with --no-session\n" : "/exit, then: magi-code rewind " + id + "\n");
  show("magi-code " MAGI_VERSION " with " + display_safe(assembly->provider().id) + " " +
       display_safe(assembly->provider().model) + "; Ctrl-C stops a turn, Ctrl-D or /exit ends\n");
  if (setting.options.prompt)
    conversation.start(*setting.options.prompt);
  else
    conversation.idle();
  const LineInput input(assembly->loop(), [&](const std::optional<InputLine>& line) { conversation.on_line(line); });
  driver.loop_until([&] { return conversation.done(); });
  sink.set_resume_hint(resume_command(setting, *assembly));
  return driver.finish();
}

}  // namespace magi::code
