#include "libcommon/tool/report.h"

#include <unistd.h>

#include <cerrno>
#include <string>

namespace magi::tool {
namespace {

// A message may quote what strangers wrote: no escape sequence may reach the terminal.
void append_visible(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || (byte >= 0x20 && byte != 0x7f)) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
}

}  // namespace

void notice(std::string_view name, std::string_view text) {
  std::string line{name};
  line += ": ";
  append_visible(line, text);
  if (line.back() != '\n') line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // a dead stderr must not stop the work (CLI-05)
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

int report(std::string_view name, const Error& error) {
  notice(name, error.what);
  return exit_status(error.code);
}

}  // namespace magi::tool
