#include "tests/fake/lifetime.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "libcommon/base/clock.h"

namespace magi::fake {
namespace {

bool stdin_is_closed() {
  char byte;
  return ::read(0, &byte, 1) <= 0;
}

}  // namespace

bool take_option(int key, const char* value, ServerOptions& options) {
  switch (key) {
    case 'l': options.log = value; return true;
    case 'f': options.port_file = value; return true;
    case 'w': options.lifetime.parent = static_cast<pid_t>(std::strtol(value, nullptr, 10)); return true;
    case 'm': options.lifetime.max_life_s = std::strtod(value, nullptr); return true;
    default: return false;
  }
}

int report(const char* name, const Error& error) {
  std::fprintf(stderr, "%s: %s\n", name, error.what.c_str());
  return exit_status(error.code);
}

void serve(int listener_fd, const Lifetime& lifetime, const std::function<void()>& accept) {
  const int parent = lifetime.parent ? static_cast<int>(::syscall(SYS_pidfd_open, lifetime.parent, 0)) : -1;
  if (lifetime.parent && parent < 0) return;
  const std::int64_t end_ns = monotonic_ns() + static_cast<std::int64_t>(lifetime.max_life_s * 1e9);
  pollfd watched[] = {{listener_fd, POLLIN, 0}, {lifetime.watch_stdin ? 0 : -1, POLLIN, 0}, {parent, POLLIN, 0}};
  while (monotonic_ns() < end_ns) {
    if (::poll(watched, 3, 1000) <= 0) continue;
    if (watched[2].revents) return;
    if (watched[1].revents && stdin_is_closed()) return;
    if (watched[0].revents) accept();
  }
}

Result<void> write_port(const std::string& path, std::uint16_t port) {
  const std::string temporary = path + ".part";
  std::FILE* file = std::fopen(temporary.c_str(), "we");
  if (!file) return errno_error("cannot write the port file", errno);
  std::fprintf(file, "%u\n", port);
  if (std::fclose(file) != 0 || std::rename(temporary.c_str(), path.c_str()) != 0)
    return errno_error("cannot write the port file", errno);
  return {};
}

}  // namespace magi::fake
