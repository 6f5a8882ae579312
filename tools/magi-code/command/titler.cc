#include "tools/magi-code/command/titler.h"

#include <csignal>

#include "tools/magi-code/loop/title.h"

namespace magi::code {
namespace {

// How long the end of the program waits for a title, and how long a title may take at all.
constexpr int kPatienceMs = 3'000;
constexpr std::size_t kMaxTitleBytes = 4096;

}  // namespace

Titler::Titler(const Setting& setting, Assembly& assembly) : setting_(setting), assembly_(assembly) {}
Titler::~Titler() = default;

void Titler::note_input(const std::string& prompt) {
  const config::TitleSettings& title = setting_.settings.title;
  const session::Writer* writer = assembly_.journal().writer();
  if (asked_ || title.provider.empty() || title.model.empty() || !writer || writer->exists()) return;
  prompt_ = prompt;
}

void Titler::after_turn(const std::string& status) {
  if (asked_ || prompt_.empty() || status != "completed") return;
  asked_ = true;
  const config::TitleSettings& title = setting_.settings.title;
  auto command = assembly_.provider_command();
  if (!command) return;
  command->args.insert(command->args.end(), {"--provider", title.provider, "--model", title.model, "--retries", "1"});
  CoProcess::Handlers handlers;
  handlers.on_line = [this](std::string_view line) { take_line(line); };
  handlers.on_exit = [this](int) { store(); };
  auto child = CoProcess::start(assembly_.loop(), *command, std::move(handlers));
  if (!child) return;
  child_ = *std::move(child);
  child_->send(title_request(prompt_));
  child_->close_input();
}

void Titler::take_line(std::string_view line) {
  const auto root = parser_.parse(line);
  if (!root) return;
  const auto type = root->find("type").as_string();
  if (type == event::name::kText && title_.size() < kMaxTitleBytes)
    title_ += root->find("text").as_string().value_or("");
  if (type == event::name::kDone && root->find("status").as_string() == "completed") answered_ = true;
}

void Titler::store() {
  child_.reset();
  event::SessionTitle event{title_of(title_)};
  if (!answered_ || event.title.empty()) return;
  Entries entries;
  entries.add(event);
  (void)assembly_.journal().append(std::move(entries), session::Durability::kBestEffort);
  assembly_.journal().save_sidecar();
}

void Titler::finish() {
  if (!child_) return;
  bool late = false;
  EventLoop::Timer timer(assembly_.loop());
  timer.start(kPatienceMs, [&] { late = true; });
  assembly_.loop().run_until([&] { return !child_ || late; });
  if (child_) child_->kill(SIGKILL);
  child_.reset();
}

}  // namespace magi::code
