// What takes time and needs no session of its own: loading panels, carrying out their wishes, `!command`, completions,
// exports.  Three threads: one for what is quick and ordered, one for what may take long, one for `!command`.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "tools/magi-code/command/assembly.h"
#include "tools/magi-code/tui/app/mailbox.h"
#include "tools/magi-code/tui/app/request.h"
#include "tools/magi-code/tui/load/load.h"

namespace magi::code::tui {

// A thread with a queue; its end lets the task that runs come to its end and drops the others.
class Lane {
 public:
  Lane() = default;
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // The first task starts the thread; it takes no signals.
  void post(std::function<void()> task);
  // Nothing more is begun.
  void end();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ended_ = false;
  std::thread thread_;
};

class Workers {
 public:
  // `setting` outlives the workers.
  Workers(const Setting& setting, Mailbox& mailbox);
  ~Workers();

  void post(WorkerTask task);
  // From the interface's thread: what is open now.
  void session_is(std::string id, std::string instructions);
  // What is done once, behind the first frame: the prompts of earlier days go to the mailbox, old sessions where the
  // settings say so.
  void begin();

 private:
  void start(Load task);
  void start(SaveSettings task);
  void start(EditComment task);
  void start(RenameSession task);
  void start(DeleteSession task);
  void start(RunLocally task);
  void start(StopLocally task);
  void start(ListCandidates task);
  void start(RememberPrompt task);
  void start(SaveTheme task);
  void start(TrustProject task);
  void start(ExportSession task);
  void start(PruneSessions task);
  template <class Effect>
  void carry_out_quickly(Effect effect);
  // A tool of ours whose output becomes a note.
  void run_and_note(std::string program, std::vector<std::string> arguments, std::string what);

  const Setting& setting_;
  Mailbox& mailbox_;
  Source source_;
  bool keeps_prompts_;
  std::atomic<bool> stop_local_{false}, stop_all_{false};
  Lane quick_, slow_, local_;
};

}  // namespace magi::code::tui
