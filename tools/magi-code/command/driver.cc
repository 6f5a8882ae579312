#include "tools/magi-code/command/driver.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "libcommon/config/schema.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "tools/magi-code/review/expand.h"

namespace magi::code {
namespace {

Result<void> write_last_message(const std::string& path, const std::string& text) {
  const os::Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) return errno_error("cannot write " + quoted(path), errno);
  return os::write_all(file.get(), text);
}

RunSettings with_tags(RunSettings settings, const Setting& setting, const Assembly& assembly, Sink& sink) {
  settings.expand_tags = [&](UserPrompt& prompt) {
    review::Expansion expansion = review::expand_tags(prompt.text, setting.home, assembly.journal().session_id());
    if (!expansion.text.empty()) prompt.expanded = std::move(expansion.text);
    for (std::string& notice : expansion.notices) sink.diagnostic({"warning", std::move(notice), "tags"});
  };
  return settings;
}

}  // namespace

Driver::Driver(const Setting& setting, Assembly& assembly, Sink& sink, bool can_ask, Signals signals)
    : setting_(setting),
      assembly_(assembly),
      sink_(sink),
      run_(assembly.parts(sink), with_tags(assembly.run_settings(can_ask), setting, assembly, sink)),
      titler_(setting, assembly) {
  if (signals == Signals::kTaken)
    interrupts_.emplace(
        assembly.loop(), static_cast<int>(setting.options.timeout_s), [this](int signal) { on_signal(signal); },
        [this] { on_deadline(); });
  outcome_.status = "completed";
  sink.session({assembly.journal().session_id(), assembly.provider().id, assembly.provider().model});
}

void Driver::rearm() {
  if (interrupts_) interrupts_->rearm();
}

// The first signal ends the turn and keeps what it brought.  An interrupt while nothing runs ends the program, and so
// does every other signal.
void Driver::on_signal(int signal) {
  if (signal != SIGINT || !run_.active()) ending_signal_ = signal;
  run_.cancel();
}

void Driver::on_deadline() {
  run_.cancel(
      make_error(ErrorCode::kLimit, "stopped after ", std::to_string(setting_.options.timeout_s), " s (--timeout)"));
}

void Driver::start(UserPrompt prompt, std::function<void(const Outcome&)> on_end) {
  rearm();
  titler_.note_input(prompt.text);
  run_.start(std::move(prompt), [this, on_end = std::move(on_end)](Outcome outcome) {
    outcome_ = std::move(outcome);
    assembly_.hooks().flush();
    if (outcome_.status == "completed") assembly_.hooks().after_message(outcome_.text);
    rearm();
    titler_.after_turn(outcome_.status);
    if (on_end) on_end(outcome_);
  });
}

void Driver::compact(std::string instructions, std::function<void(const Outcome&)> on_end) {
  rearm();
  run_.compact_now(std::move(instructions), [this, on_end = std::move(on_end)](Outcome outcome) {
    rearm();
    on_end(outcome);
  });
}

void Driver::loop_until(const std::function<bool()>& done) {
  assembly_.loop().run_until([&] { return ending_signal_ != 0 ? !run_.active() : done(); });
}

Result<int> Driver::finish() {
  ResultRecord record{assembly_.journal().session_id(),
                      outcome_.status,
                      outcome_.text,
                      run_.usage(),
                      outcome_.error,
                      outcome_.exit_status};
  if (ending_signal_ != 0) record.exit_status = 128 + ending_signal_;
  if (setting_.options.output_last_message) {
    if (auto written = write_last_message(*setting_.options.output_last_message, outcome_.text);
        !written && !record.error) {
      record.error = event::ErrorInfo{std::string(category_name(written.error().code)), written.error().what};
      record.exit_status = kExitFailed;
    }
  }
  sink_.result(record);
  if (ending_signal_ == 0) titler_.finish();
  assembly_.hooks().session_end(outcome_.status);
  assembly_.loop().run_until([this] { return assembly_.hooks().idle(); });
  assembly_.shutdown();
  // Kept beside the settings for editors; where it cannot be written, nothing is lost.
  if (assembly_.journal().persistent()) (void)config::refresh_schema(setting_.home.settings_schema());
  return static_cast<int>(record.exit_status);
}

std::string resume_command(const Setting& setting, Assembly& assembly) {
  session::Writer* const writer = assembly.journal().writer();
  if (!writer || !writer->exists()) return {};
  std::string command = "magi-code";
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) command.append(" ").append(option).append(" ").append(value);
  };
  if (setting.explicit_home) add("--home", setting.home.root());
  add("--provider", setting.options.provider);
  add("--base-url", setting.options.base_url);
  add("--model", setting.options.model);
  add("--resume", writer->id());
  return command + " -p '...'";
}

}  // namespace magi::code
