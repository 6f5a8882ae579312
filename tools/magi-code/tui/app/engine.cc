#include "tools/magi-code/tui/app/engine.h"

#include "libcommon/base/shown_text.h"
#include "tools/magi-code/command/other_tools.h"
#include "tools/magi-code/history/rewind_job.h"
#include "tools/magi-code/history/session_actions.h"
#include "tools/magi-code/tui/app/history.h"
#include "tools/magi-code/tui/app/signals_blocked.h"

namespace magi::code::tui {
namespace {

Approval approval_of(const AnswerApproval& answer) {
  using Decision = Approval::Decision;
  if (answer.decision == "allow") return {Decision::kAllow};
  if (answer.decision == "allow_session") return {Decision::kAllowSession};
  if (answer.decision == "allow_pattern") return {Decision::kAllowPattern, answer.text};
  return {Decision::kDeny, {}, answer.text};
}

std::string advice_for(const Error& error) {
  if (error.code == ErrorCode::kConfig)
    return "/login signs in, /model takes another provider, /settings shows what is set";
  if (error.code == ErrorCode::kBusy)
    return "another process has it open: /sessions takes another one, /new begins one";
  return "/sessions takes another one, /new begins one";
}

}  // namespace

ContextReport report_of(const TokenReport& report) {
  return {report.total, report.max_tokens, report.usable, report.compaction_cutoff, report.percent, report.method};
}

Engine::Engine(const Setting& setting, Mailbox& mailbox)
    : options_(setting.options),
      environment_(setting.environment),
      home_(setting.home),
      cwd_(setting.cwd),
      settings_(setting.settings),
      explicit_home_(setting.explicit_home),
      mailbox_(mailbox),
      sink_(mailbox) {}

Engine::~Engine() {
  if (thread_.joinable()) thread_.join();
}

void Engine::start() {
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { work(); });
}

void Engine::post(EngineCommand command) {
  std::lock_guard guard(mutex_);
  inbox_.push_back(std::move(command));
  if (loop_) loop_->post(wake_);
  changed_.notify_all();
}

bool Engine::stop(int patience_ms) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  if (loop_) loop_->post(wake_);
  changed_.notify_all();
  if (!thread_.joinable()) return true;
  return changed_.wait_for(lock, std::chrono::milliseconds(patience_ms), [this] { return ended_; });
}

bool Engine::stopping() {
  std::lock_guard guard(mutex_);
  return stopping_;
}

std::vector<EngineCommand> Engine::take_commands() {
  std::lock_guard guard(mutex_);
  return std::exchange(inbox_, {});
}

void Engine::work() {
  while (!stopping()) {
    auto world = open();
    if (world) {
      serve(**world);
      close(**world);
      continue;
    }
    mailbox_.push(OpenFailed{world.error().what, advice_for(world.error())});
    wait_for_another_choice();
  }
  std::lock_guard guard(mutex_);
  ended_ = true;
  changed_.notify_all();
}

Result<std::unique_ptr<Engine::World>> Engine::open() {
  const Setting setting{options_, environment_, home_, cwd_, settings_, explicit_home_};
  auto world = std::make_unique<World>(setting);
  MAGI_TRY(world->assembly, Assembly::create(world->setting, Assembly::Purpose::kRun, &sink_));
  std::unique_ptr<Transcript> history;
  const std::string id = world->assembly->journal().session_id();
  const bool shown = !id.empty() && id == shown_id_;
  MAGI_CHECK(world->assembly->load([&](std::string_view stream) {
    if (!shown) history = transcript_of(stream);
  }));
  world->driver =
      std::make_unique<Driver>(world->setting, *world->assembly, sink_, true, Driver::Signals::kLeftToOthers);
  announce(*world, std::move(history));
  return world;
}

void Engine::announce(World& world, std::unique_ptr<Transcript> history) {
  SessionOpened opened;
  opened.id = world.assembly->journal().session_id();
  opened.provider = world.assembly->provider().id;
  opened.model = world.assembly->provider().model;
  opened.permissions = world.setting.permissions();
  opened.cwd = cwd_;
  opened.instructions = world.assembly->run_settings(true).instructions;
  opened.stored = world.assembly->journal().persistent();
  opened.same_session = !opened.id.empty() && opened.id == shown_id_;
  if (history) opened.draft = draft_.empty() ? unsent_draft(home_, opened.id) : draft_;
  draft_.clear();
  opened.history = std::move(history);
  shown_id_ = opened.id;
  // From now on it is this one, however it was found.
  options_.continue_latest = options_.fork = false;
  session::Writer* const writer = world.assembly->journal().writer();
  options_.resume.reset();
  if (writer && writer->exists()) options_.resume = opened.id;
  mailbox_.push(std::move(opened));
}

void Engine::serve(World& world) {
  leave_ = measuring_ = reopen_after_run_ = false;
  EventLoop& loop = world.assembly->loop();
  {
    std::lock_guard guard(mutex_);
    loop_ = &loop;
    wake_ = [this, &world] { drain(world); };
    loop.post(wake_);
  }
  EventLoop::Timer limit(loop);
  if (options_.timeout_s > 0)
    limit.start(static_cast<int>(options_.timeout_s) * 1000, [this, &world] {
      world.driver->run().cancel();
      note("warning", "stopped after " + std::to_string(options_.timeout_s) + " s (--timeout)");
    });
  measure(world);
  world.driver->loop_until([&] {
    if (stopping()) world.driver->run().cancel();
    return (leave_ || stopping()) && !world.driver->run().active();
  });
  std::lock_guard guard(mutex_);
  loop_ = nullptr;
  wake_ = nullptr;
}

void Engine::close(World& world) {
  resume_hint_ = resume_command(world.setting, *world.assembly);
  // What was stored last time is gone on with, unless another session was chosen.
  if (auto finished = world.driver->finish(); !finished) note("error", finished.error().what);
}

void Engine::drain(World& world) {
  std::vector<EngineCommand> commands = take_commands();
  auto next = commands.begin();
  while (next != commands.end() && !leave_ && !stopping())
    std::visit([&](auto& wish) { obey(world, std::move(wish)); }, *next++);
  // What came behind a change of session is for the next one.
  std::lock_guard guard(mutex_);
  inbox_.insert(inbox_.begin(), std::make_move_iterator(next), std::make_move_iterator(commands.end()));
}

void Engine::obey(World& world, Input command) {
  Run& run = world.driver->run();
  if (measuring_) return held_.push_back(std::move(command));
  if (run.active()) return run.steer({std::move(command.text), {}, "steering", {}, std::move(command.action_id)});
  world.driver->start({std::move(command.text), {}, "user", {}, std::move(command.action_id)},
                      [this, &world](const Outcome& outcome) { run_ended(world, outcome); });
}

void Engine::run_ended(World& world, const Outcome& outcome) {
  mailbox_.push(RunEnded{outcome.status, outcome.error ? outcome.error->message : std::string()});
  if (std::exchange(reopen_after_run_, false)) return reopen(world);
  world.assembly->loop().post([this, &world] { measure(world); });
}

void Engine::obey(World& world, const Recall& command) {
  auto prompt = world.driver->run().recall(command.action_id);
  if (!prompt) return mailbox_.push(Recalled{command.action_id, {}, false});
  mailbox_.push(Recalled{prompt->action_id, prompt->text, true});
}

void Engine::obey(World& world, const Interrupt&) { world.driver->run().cancel(); }

void Engine::obey(World& world, const AnswerApproval& command) {
  Run& run = world.driver->run();
  if (!run.awaits_approval(command.call_id)) return;
  if (auto taken = run.approve(command.call_id, approval_of(command)); !taken)
    mailbox_.push(ApprovalRejected{command.call_id, taken.error().what});
}

void Engine::obey(World& world, const Compact& command) {
  if (world.driver->run().active() || measuring_)
    return note("warning", "the session is busy: compact it when it is idle");
  world.driver->compact(command.instructions, [this, &world](const Outcome& outcome) { run_ended(world, outcome); });
}

void Engine::obey(World& world, const Measure&) { measure(world); }

void Engine::measure(World& world) {
  if (measuring_ || world.driver->run().active()) return;
  measuring_ = true;
  world.driver->run().measure([this, &world](const Result<TokenReport>& report) {
    measuring_ = false;
    if (report)
      mailbox_.push(report_of(*report));
    else
      mailbox_.push(ContextUnknown{report.error().what});
    for (Input& input : std::exchange(held_, {})) obey(world, std::move(input));
  });
}

void Engine::choose(const OpenSession& command) {
  options_.continue_latest = false;
  options_.session_operand.reset();
  options_.resume.reset();
  if (!command.id.empty()) options_.resume = command.id;
  options_.fork = command.fork && !command.id.empty();
  if (!options_.fork && !command.id.empty()) options_.no_session = false;
  shown_id_.clear();
}

void Engine::choose(const ChooseModel& command) {
  if (command.provider != options_.provider) options_.base_url.clear();
  options_.provider = command.provider;
  options_.model = command.model;
}

void Engine::obey(World& world, const OpenSession& command) {
  world.driver->run().cancel();
  choose(command);
  leave_ = true;
}

// The same session under what has been chosen since.
void Engine::reopen(World& world) {
  session::Writer* const writer = world.assembly->journal().writer();
  if (writer && writer->exists()) options_.resume = writer->id();
  if (!writer) note("warning", "nothing is kept (--no-session): the model knows nothing of what was said so far");
  leave_ = true;
}

void Engine::obey(World& world, const ChooseModel& command) {
  if (world.driver->run().active()) return note("warning", "a turn is running: choose the model when it has ended");
  choose(command);
  reopen(world);
}

void Engine::reload_settings() {
  auto settings = config::load_settings({home_.settings(), cwd_, options_.overlay});
  if (!settings) return note("error", "the settings are as they were: " + settings.error().what);
  settings_ = *std::move(settings);
}

void Engine::obey(World& world, const ReloadSettings&) {
  reload_settings();
  // A run goes on as it began; the next one has what is set now.
  if (world.driver->run().active())
    reopen_after_run_ = true;
  else
    reopen(world);
}

void Engine::obey(World& world, const RenameSession& command) {
  auto title = clean_title(command.title);
  if (!title) return note("error", "cannot rename the session: " + title.error().what);
  event::SessionTitle event{*std::move(title)};
  Entries entries;
  entries.add(event);
  if (auto stored = world.assembly->journal().append(std::move(entries), session::Durability::kBestEffort); !stored)
    return note("error", "cannot rename the session: " + stored.error().what);
  world.assembly->journal().save_sidecar();
  note("info", "the session is called " + quoted(event.title) + " now");
}

void Engine::obey(World& world, const RecordDiagnostic& command) {
  session::Writer* const writer = world.assembly->journal().writer();
  if (!writer || !writer->exists()) return;
  event::Diagnostic event{command.level, command.message, "interface", {}};
  Entries entries;
  entries.add(event);
  (void)world.assembly->journal().append(std::move(entries), session::Durability::kBestEffort);
}

void Engine::obey(World& world, const RewindTo& command) {
  session::Writer* const writer = world.assembly->journal().writer();
  if (!writer || !writer->exists()) return note("warning", "nothing is stored that could be taken back");
  if (world.driver->run().active()) return note("warning", "a turn is running: go back when it has ended");
  const bool both = command.files && command.conversation;
  RewindJob job(home_, {writer->id(), command.event_id, command.files && !both, command.conversation && !both, both,
                        command.force});
  Result<void> done = job.plan();
  if (done) done = job.carry_out(writer, [this] { return !stopping(); });
  const RewindReport& report = job.report();
  if (!done) note("error", "rewind: " + done.error().what);
  if (done && command.files) {
    const RewindCounts counts = count_fates(report.files);
    note(counts.conflicts + counts.failed + counts.unavailable > 0 ? "warning" : "info",
         "files: " + std::to_string(counts.restored) + " restored, " + std::to_string(counts.removed) + " removed, " +
             std::to_string(counts.unchanged) + " unchanged, " + std::to_string(counts.conflicts) +
             " left because they were changed since, " + std::to_string(counts.failed + counts.unavailable) +
             " not restorable");
  }
  if (report.fork_id.empty()) return;
  draft_ = report.target_text;
  choose(OpenSession{report.fork_id, false});
  leave_ = true;
}

void Engine::wait_for_another_choice() {
  while (true) {
    std::vector<EngineCommand> commands;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !inbox_.empty(); });
      if (stopping_) return;
      commands = std::exchange(inbox_, {});
    }
    bool again = false;
    for (EngineCommand& command : commands) again = consider(std::move(command)) || again;
    if (again) return;
  }
}

bool Engine::consider(EngineCommand command) {
  if (auto* input = std::get_if<Input>(&command)) {
    mailbox_.push(Undelivered{std::move(input->text), std::move(input->action_id)});
    return false;
  }
  if (const auto* session = std::get_if<OpenSession>(&command)) {
    choose(*session);
    return true;
  }
  if (const auto* model = std::get_if<ChooseModel>(&command)) {
    choose(*model);
    return true;
  }
  if (!std::holds_alternative<ReloadSettings>(command)) return false;
  reload_settings();
  return true;
}

}  // namespace magi::code::tui
