// Stands before every request: the conversation in memory is used only while it is what the session says (R11).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/magi-code/loop/journal.h"
#include "tools/magi-code/stage/replay_stage.h"

namespace magi::code {

class MemoryGuard {
 public:
  enum class Mode {
    kReuse,   // memory is used where the session's file is as this process left it
    kVerify,  // besides, a fresh replay must say the same, record by record (--verify)
  };
  using MakeCommand = std::function<Result<Command>()>;  // magi-replay with the session

  // Calls `on_notice` when the session turned out to be changed.
  MemoryGuard(EventLoop& loop, Journal& journal, Mode mode, MakeCommand replay, NoticeHandler on_notice)
      : loop_(loop), journal_(journal), mode_(mode), replay_(std::move(replay)), on_notice_(std::move(on_notice)) {}

  // Calls `on_ready` once: at once where memory holds, else from the loop, when the session was read again.  It is
  // given the IDs of calls that this brought.  Requires: no refresh is under way.
  using OnReady = std::function<void(Result<std::vector<std::string>>)>;
  void refresh(OnReady on_ready);
  // The same where this process had the session changed: nothing is said of it.
  void refresh_expected(OnReady on_ready);
  // `on_ready` is not called any more.
  void cancel();

 private:
  void read_again();
  void on_replayed(Result<Replayed> replayed);
  Result<std::vector<std::string>> take(Replayed replayed);

  EventLoop& loop_;
  Journal& journal_;
  Mode mode_;
  MakeCommand replay_;
  NoticeHandler on_notice_;
  OnReady on_ready_;
  std::unique_ptr<ReplayStage> stage_;
  int attempts_ = 0;
  std::uint64_t round_ = 0;  // of readings; those of an earlier one are not heard
  bool is_expected_ = false;
  bool replacing_ = false;  // what is read takes the place of memory; else it is only compared
};

}  // namespace magi::code
