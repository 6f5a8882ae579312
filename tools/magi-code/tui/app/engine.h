// The engine thread: it owns event loop, session and run, one session after another, and does what the interface asks.
// What happens comes out of the mailbox.  Blocks for itself only: the interface never waits for it but at the end.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tools/magi-code/command/driver.h"
#include "tools/magi-code/tui/app/engine_sink.h"
#include "tools/magi-code/tui/app/request.h"

namespace magi::code::tui {

class Engine {
 public:
  // `setting` is copied but for its environment, which outlives the engine.
  Engine(const Setting& setting, Mailbox& mailbox);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Starts the thread.  It takes no signals.
  void start();
  // From any thread; done in order.
  void post(EngineCommand command);
  // Ends what runs, keeps what it brought, and waits for the thread at most `patience_ms`; false: it hangs.
  bool stop(int patience_ms);
  // After stop(): the command that goes on with the session; empty where nothing of it was stored.
  const std::string& resume_hint() const { return resume_hint_; }

 private:
  // One open session.
  struct World {
    explicit World(const Setting& setting) : setting(setting) {}
    Setting setting;
    std::unique_ptr<Assembly> assembly;
    std::unique_ptr<Driver> driver;
  };

  void work();
  Result<std::unique_ptr<World>> open();
  void announce(World& world, std::unique_ptr<Transcript> history);
  void serve(World& world);
  void close(World& world);
  void wait_for_another_choice();
  void drain(World& world);
  std::vector<EngineCommand> take_commands();
  bool stopping();

  // With a session.
  void obey(World& world, Input command);
  void obey(World& world, const Recall& command);
  void obey(World& world, const Interrupt& command);
  void obey(World& world, const AnswerApproval& command);
  void obey(World& world, const Compact& command);
  void obey(World& world, const Measure& command);
  void obey(World& world, const OpenSession& command);
  void obey(World& world, const ChooseModel& command);
  void obey(World& world, const RewindTo& command);
  void obey(World& world, const RenameSession& command);
  void obey(World& world, const ReloadSettings& command);
  void obey(World& world, const RecordDiagnostic& command);
  void measure(World& world);
  void run_ended(World& world, const Outcome& outcome);
  void reopen(World& world);

  // Without one: true where opening should be tried again.
  bool consider(EngineCommand command);
  void choose(const OpenSession& command);
  void choose(const ChooseModel& command);
  void reload_settings();
  void note(std::string level, std::string text) { mailbox_.push(InterfaceNote{std::move(level), std::move(text)}); }

  Options options_;
  const config::Environment& environment_;
  session::Home home_;
  std::string cwd_;
  config::Settings settings_;
  bool explicit_home_;
  Mailbox& mailbox_;
  EngineSink sink_;

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<EngineCommand> inbox_;
  EventLoop* loop_ = nullptr;  // of the session that is served
  std::function<void()> wake_;
  bool stopping_ = false, ended_ = false;

  bool leave_ = false;  // the session that is served
  bool reopen_after_run_ = false;
  bool measuring_ = false;  // a count is under way: a run may not begin
  std::vector<Input> held_;
  std::string shown_id_;  // of the session whose transcript is shown
  std::string draft_;     // for the session that is opened next
  std::string resume_hint_;
};

}  // namespace magi::code::tui
