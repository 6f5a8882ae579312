#include "libcommon/tool/run_main.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <new>

#include "libcommon/tool/report.h"

namespace magi::tool {
namespace {

void fill_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // open() returns the lowest free number, which is `fd`.  Read-only for stdout: a write to it must fail.
    const int opened = open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != fd) _exit(kExitFailed);
  }
}

// Without allocating: there may be no memory left.
void report_plainly(std::string_view name, std::string_view text) {
  for (const std::string_view part : {name, std::string_view(": "), text, std::string_view("\n")})
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) return;
}

}  // namespace

int run_main(std::string_view name, int argc, char** argv, char** envp, Body body) {
  fill_standard_descriptors();
  signal(SIGPIPE, SIG_DFL);
  try {
    Invocation invocation{name, argc, argv, config::Environment::copy_of(envp)};
    const Result<int> outcome = body(invocation);
    return outcome ? *outcome : report(name, outcome.error());
  } catch (const std::bad_alloc&) {
    report_plainly(name, "out of memory");
  } catch (const std::exception& caught) {
    report_plainly(name, caught.what());
  } catch (...) {
    report_plainly(name, "unknown failure");
  }
  return kExitFailed;
}

}  // namespace magi::tool
