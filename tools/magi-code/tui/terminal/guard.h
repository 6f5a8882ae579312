// What must be known of the terminal to give it back from anywhere, also from inside of a signal's handler, and the
// handlers that do so.  One terminal in a process: signals know no objects.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <cstddef>
#include <string_view>

namespace magi::code::tui::guard {

inline constexpr std::size_t kMostSequenceBytes = 256;

struct Modes {
  int tty = -1;        // not owned
  int notice_fd = -1;  // an eventfd, not owned: written to when something is to be noticed
  termios cooked{}, raw{};
};

// From here on the terminal is given back whatever happens.  False: another one is watched already.
// Handles INT, TERM, HUP, QUIT, TSTP, CONT, WINCH, and the signals of crashes.
bool watch(const Modes& modes);
// Gives the terminal back if it is held, and the signals to who had them before.
void unwatch();

// The sequences that hold() and release() write; at most kMostSequenceBytes each, the rest is left out.
void set_sequences(std::string_view enter, std::string_view leave);

// Raw mode and the interface's screen / what was before.  Async-signal-safe; nothing where it is so already.
void hold();
void release();
bool is_held();
// write(2), to nobody (EPIPE) while the terminal is given back: no frame ever follows the sequence that leaves it.
ssize_t write(std::string_view bytes);
// While not wanted, continuing after a stop does not take the terminal, and the keyboard's signals are for others.
void want(bool wanted);

// What has happened since it was asked last.
struct Happened {
  bool resized = false, resumed = false;
  int ending = 0;
};
Happened take();

}  // namespace magi::code::tui::guard
