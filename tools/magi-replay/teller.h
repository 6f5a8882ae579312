// Tells the session of another program in our own events, which then are replayed like any other session: the rules of
// turns, groups, calls and results are those of ReplayIndex alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"
#include "libcommon/os/fd.h"

namespace magi::replay {

class Teller {
 public:
  // What back_to() returns to.
  struct Mark {
    std::uint64_t offset = 0;
    std::int64_t events = 0, turns = 0;
    bool turn_open = false, last_was_text = false;
  };

  // `file`: empty, read and written.
  explicit Teller(os::Fd file) : file_(std::move(file)) {}

  // IDs that are not valid here are left out.
  void session(std::string_view id, std::string_view cwd);

  // A prompt begins a turn; a steering one joins the turn that is open.
  void prompt(std::string text, std::vector<event::Part> parts, bool steering = false);
  void say(std::string text, std::string_view status);
  void call(std::string id, std::string name, std::string arguments);
  void result(std::string id, std::string_view status, std::string output, std::vector<event::Part> parts);
  void end_turn(std::string_view status);
  // A summary in place of everything before it.
  void checkpoint(std::string summary);

  Mark mark() const;
  // Takes back all that was told since.
  void back_to(const Mark& mark);

  std::int64_t events() const { return events_; }
  std::string session_id() const { return envelope_.session_id; }
  // Ends the last turn and returns the file, to be read from its start.  Errors of writing show here.
  Result<os::Fd> finish();

 private:
  template <class Payload>
  void tell(const Payload& payload);
  std::string turn_id() const { return "t" + std::to_string(turns_); }

  os::Fd file_;
  std::string buffer_;
  std::uint64_t written_ = 0;
  event::Envelope envelope_;
  std::int64_t events_ = 0, turns_ = 0, generation_ = 0, results_ = 0;
  bool turn_open_ = false, last_was_text_ = false;
  Result<void> state_;
};

}  // namespace magi::replay
