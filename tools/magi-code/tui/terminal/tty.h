// The terminal of the process: raw mode and the interface's screen while this lives, and what was before on every way
// out: normal ends, exceptions, SIGTERM, SIGHUP, SIGINT, SIGQUIT, crashes.  At most one at a time in a process.
// Output never blocks: what the terminal does not take at once is kept, and no frame should be made meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "tools/magi-code/tui/terminal/capabilities.h"
#include "tools/magi-code/tui/terminal/input_event.h"

namespace magi::code::tui {

class Tty {
 public:
  // What a signal wants of the interface.
  struct Notices {
    bool resized = false;  // ask size(), draw everything
    bool resumed = false;  // after a suspension: the same
    int ending = 0;        // SIGTERM ...: the terminal is restored already; end.  A second one ends the process
  };

  // Of the terminal that both `in` and `out` are; kUsage where they are none.  Sets raw mode, enters the screen, and
  // installs handlers.  Threads that are started later should block signals, so that these run on the caller's thread.
  static Result<std::unique_ptr<Tty>> open(int in, int out, const Capabilities& capabilities, bool mouse);
  ~Tty();
  Tty(const Tty&) = delete;
  Tty& operator=(const Tty&) = delete;

  int fd() const;         // readable: read(); writable, where wants_write(): write_more()
  int notice_fd() const;  // readable: take_notices()
  Notices take_notices();
  Resize size() const;

  // What has come, without blocking; empty: nothing.  An error: the terminal is gone.
  Result<std::string> read();

  // Takes all bytes and writes what goes.  Make a frame only where nothing waits: a slow terminal then gets fewer
  // frames, each of the newest state.
  void write(std::string_view bytes);
  bool wants_write() const;
  void write_more();

  // Modes for capabilities that have been learned since.
  void set_capabilities(const Capabilities& capabilities, bool mouse);
  // Ctrl-Z: restores the terminal and stops the process group; returns once it is continued, with `resumed` noticed.
  void suspend();
  // For another program that uses the terminal meanwhile (an external editor): restores it, and takes it again.
  void release();
  void acquire();

 private:
  struct Impl;
  explicit Tty(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// OSC 52: asks the terminal to put `text` on the clipboard.  Empty where it is too long for terminals to take.
std::string clipboard_sequence(std::string_view text, const TerminalEnvironment& environment);

}  // namespace magi::code::tui
