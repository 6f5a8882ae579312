// How long a test server lives, and how it says where it listens: the same for every server here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "libcommon/base/result.h"

namespace magi::fake {

struct Lifetime {
  pid_t parent = 0;  // ends with it; 0: nobody's child
  bool watch_stdin = false;
  double max_life_s = 600;
};

// What every server here can be told.
struct ServerOptions {
  std::string log, port_file;
  Lifetime lifetime;
};
// For getopt_long(3): the options --log, --port-file, --exit-with and --max-life, and what to do with one of them;
// false where `key` is none of theirs.
#define MAGI_FAKE_SERVER_OPTIONS                                                              \
  {"log", 1, nullptr, 'l'}, {"port-file", 1, nullptr, 'f'}, {"exit-with", 1, nullptr, 'w'}, { \
    "max-life", 1, nullptr, 'm'                                                               \
  }
bool take_option(int key, const char* value, ServerOptions& options);

// "NAME: what went wrong" on stderr; the exit status.
int report(const char* name, const Error& error);

// Calls `accept` whenever `listener_fd` is readable; returns when the parent is gone, stdin is closed or the time is
// up.
void serve(int listener_fd, const Lifetime& lifetime, const std::function<void()>& accept);

// Appears whole or not at all, so that a waiting test never reads half a number.
Result<void> write_port(const std::string& path, std::uint16_t port);

}  // namespace magi::fake
