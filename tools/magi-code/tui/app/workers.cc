#include "tools/magi-code/tui/app/workers.h"

#include "libcommon/config/trust.h"
#include "tools/magi-code/command/other_tools.h"
#include "tools/magi-code/tui/app/candidates.h"
#include "tools/magi-code/tui/app/child_output.h"
#include "tools/magi-code/tui/app/prompt_log.h"
#include "tools/magi-code/tui/app/signals_blocked.h"
#include "tools/magi-code/tui/load/carry_out.h"

namespace magi::code::tui {
namespace {

// Of what a local command prints, so much is kept for its card.
constexpr std::size_t kMostOutput = 1024 * 1024;
constexpr std::size_t kMostNote = 4096;

// Of more than fits the end is kept: that is where errors stand.
void keep_end(std::string& text, std::string_view more, std::size_t most) {
  text += more;
  if (text.size() > 2 * most) text.erase(0, text.size() - most);
}

std::string without_last_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

}  // namespace

Lane::~Lane() {
  end();
  if (thread_.joinable()) thread_.join();
}

void Lane::end() {
  std::lock_guard guard(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void Lane::post(std::function<void()> task) {
  std::lock_guard guard(mutex_);
  if (ended_) return;
  tasks_.push_back(std::move(task));
  changed_.notify_all();
  if (thread_.joinable()) return;
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { work(); });
}

void Lane::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
    if (ended_) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

Workers::Workers(const Setting& setting, Mailbox& mailbox)
    : setting_(setting),
      mailbox_(mailbox),
      source_{setting.home,
              setting.cwd,
              {},
              setting.environment,
              setting.environment_without_keys(),
              {},
              {},
              setting.options.base_url},
      keeps_prompts_(!setting.options.no_session) {
  if (auto found = setting.tool_path().find("magi-code")) source_.magi_code = *std::move(found);
}

Workers::~Workers() {
  stop_local_ = stop_all_ = true;
  quick_.end();
  slow_.end();
  local_.end();
}

void Workers::post(WorkerTask task) {
  std::visit([this](auto& wish) { start(std::move(wish)); }, task);
}

void Workers::session_is(std::string id, std::string instructions) {
  source_.session_id = std::move(id);
  source_.system_prompt = std::move(instructions);
}

void Workers::begin() {
  quick_.post([this] {
    start_cleanup(setting_);
    mailbox_.push(PromptHistory{read_prompts(setting_.home)});
  });
}

void Workers::start(Load task) {
  const bool slow = task.panel == "doctor" || task.panel == "diff" || task.panel == "model";
  (slow ? slow_ : quick_).post([source = source_, task = std::move(task), &mailbox = mailbox_] {
    mailbox.push(load(source, task));
  });
}

template <class Effect>
void Workers::carry_out_quickly(Effect effect) {
  quick_.post(
      [source = source_, effect = std::move(effect), &mailbox = mailbox_] { mailbox.push(carry_out(source, effect)); });
}

void Workers::start(SaveSettings task) {
  quick_.post([this, source = source_, task = std::move(task)] {
    mailbox_.push(carry_out(source, task));
    auto settings = config::load_settings({setting_.home.settings(), setting_.cwd, setting_.options.overlay});
    if (settings) mailbox_.push(settings->ui);
  });
}

void Workers::start(EditComment task) { carry_out_quickly(std::move(task)); }
void Workers::start(RenameSession task) { carry_out_quickly(std::move(task)); }
void Workers::start(DeleteSession task) { carry_out_quickly(std::move(task)); }

void Workers::start(ListCandidates task) {
  slow_.post([this, trigger = task.trigger] {
    auto candidates =
        std::make_shared<Candidates>(trigger == '@' ? list_files(source_.cwd, source_.child_environment,
                                                                 std::string(source_.environment.get_or("PATH", "")))
                                                    : list_skills(setting_.home, setting_.cwd));
    mailbox_.push(Completions{trigger, std::move(candidates)});
  });
}

void Workers::start(RememberPrompt task) {
  if (!keeps_prompts_) return;
  quick_.post([home = setting_.home, text = std::move(task.text)] { remember_prompt(home, text); });
}

void Workers::start(SaveTheme task) {
  quick_.post([this, name = std::move(task.name)] {
    if (auto saved = config::change_setting(setting_.home.settings(), "ui.theme", name); !saved)
      mailbox_.push(InterfaceNote{"warning", "the theme is not kept: " + saved.error().what});
  });
}

void Workers::start(TrustProject) {
  quick_.post([this, question = setting_.settings.trust] {
    if (!question) return;
    if (auto trusted = config::trust(setting_.home.settings(), *question); !trusted)
      return mailbox_.push(InterfaceNote{"error", "not trusted: " + trusted.error().what});
    mailbox_.push(InterfaceNote{"info", "trusted, as long as nothing of it changes"});
    mailbox_.push(SettingsChanged{});
  });
}

void Workers::start(StopLocally) { stop_local_ = true; }

void Workers::start(RunLocally task) {
  stop_local_ = false;
  local_.post([this, task = std::move(task)] {
    os::SpawnOptions options;
    options.program = "/bin/bash";
    options.args = {"-c", task.command};
    options.env = source_.child_environment;
    options.cwd = setting_.cwd;
    event::ToolAnswer answer;
    answer.call_id = answer.result_id = task.call_id;
    const auto ended = run_child(std::move(options), stop_local_, [&](std::string_view more) {
      keep_end(answer.output, more, kMostOutput);
      mailbox_.push(event::ToolProgress{{}, task.call_id, {}, std::string(more)});
    });
    answer.status = !ended || ended->exit_code != 0 ? "error" : "success";
    if (ended && ended->stopped) answer.status = "cancelled";
    if (!ended) answer.output = ended.error().what;
    if (ended && ended->exit_code != 0 && !ended->stopped)
      answer.output += (answer.output.empty() || answer.output.back() == '\n' ? "" : "\n") +
                       std::string("exit status ") + std::to_string(ended->exit_code);
    mailbox_.push(std::move(answer));
    mailbox_.push(LocalEnded{task.call_id});
  });
}

void Workers::run_and_note(std::string program, std::vector<std::string> arguments, std::string what) {
  slow_.post([this, program = std::move(program), arguments = std::move(arguments), what = std::move(what)] {
    os::SpawnOptions options;
    auto found = setting_.tool_path().find(program);
    if (!found) return mailbox_.push(InterfaceNote{"error", found.error().what});
    options.program = *std::move(found);
    options.args = {"--home", setting_.home.root()};
    options.args.insert(options.args.end(), arguments.begin(), arguments.end());
    options.env = source_.child_environment;
    options.cwd = setting_.cwd;
    std::string output;
    const auto ended =
        run_child(std::move(options), stop_all_, [&](std::string_view more) { keep_end(output, more, kMostNote); });
    output = without_last_line_end(std::move(output));
    if (!ended) return mailbox_.push(InterfaceNote{"error", ended.error().what});
    mailbox_.push(InterfaceNote{ended->exit_code == 0 ? "info" : "error", what + ": " + output});
  });
}

void Workers::start(ExportSession) {
  if (source_.session_id.empty()) return mailbox_.push(InterfaceNote{"error", "nothing is stored with --no-session"});
  run_and_note("magi-export", {source_.session_id}, "exported");
}

void Workers::start(PruneSessions task) {
  std::vector<std::string> arguments;
  if (!task.days.empty()) arguments.push_back(std::move(task.days));
  run_and_note("magi-prune", std::move(arguments), "pruned");
}

}  // namespace magi::code::tui
