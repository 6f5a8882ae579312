// Preloaded into a program to play a lock service that fails or never answers (LOCK_SHIM=enolck or hang).
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace {

bool is_lock(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

int answer(int fd, int command, long argument) {
  const char* const mode = ::getenv("LOCK_SHIM");
  if (mode != nullptr && is_lock(command)) {
    while (::strcmp(mode, "hang") == 0) ::pause();
    errno = ENOLCK;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fcntl, fd, command, argument));
}

}  // namespace

// Which of the two names a caller is bound to depends on how it was compiled, so both are here; the header, which maps
// one to the other, declares them otherwise, so the symbols are named by hand.
#define MAGI_SHIM(function, symbol)                                                                     \
  extern "C" __attribute__((visibility("default"))) int function(int fd, int command, ...) asm(symbol); \
  int function(int fd, int command, ...) {                                                              \
    va_list arguments;                                                                                  \
    va_start(arguments, command);                                                                       \
    const long argument = va_arg(arguments, long);                                                      \
    va_end(arguments);                                                                                  \
    return answer(fd, command, argument);                                                               \
  }

MAGI_SHIM(shim_fcntl, "fcntl")
MAGI_SHIM(shim_fcntl64, "fcntl64")
