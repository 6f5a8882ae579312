#include "tools/magi-perms/confirm.h"

#include <unistd.h>

#include <string>

#include "libcommon/os/io.h"

namespace magi::perms {

bool can_ask() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

bool confirm(std::string_view question) {
  constexpr std::size_t kMaxAnswerBytes = 1024;
  if (!os::write_all(STDERR_FILENO, std::string(question) + " [y/N] ")) return false;
  os::LineReader lines(STDIN_FILENO, kMaxAnswerBytes);
  const auto line = lines.next();
  return line && *line && (**line == "y" || **line == "yes");
}

}  // namespace magi::perms
