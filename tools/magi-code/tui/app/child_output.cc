#include "tools/magi-code/tui/app/child_output.h"

#include <poll.h>
#include <signal.h>

#include <array>

#include "libcommon/base/clock.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"

namespace magi::code::tui {
namespace {

constexpr int kLookMs = 50;
constexpr std::int64_t kGraceNs = 2'000'000'000;

// Asks once, then insists.
class Stopper {
 public:
  void look(os::Child& child, bool wanted) {
    if (!wanted) return;
    if (asked_ns_ == 0) {
      asked_ns_ = monotonic_ns();
      (void)child.kill_group(SIGTERM);
    } else if (monotonic_ns() - asked_ns_ > kGraceNs) {
      (void)child.kill_group(SIGKILL);
    }
  }
  bool asked() const { return asked_ns_ != 0; }

 private:
  std::int64_t asked_ns_ = 0;
};

// What is there now; false at the end.
Result<bool> pump(int fd, int wait_ms, const std::function<void(std::string_view)>& on_output) {
  pollfd entry{fd, POLLIN, 0};
  if (poll(&entry, 1, wait_ms) <= 0) return true;
  std::array<char, 64 * 1024> buffer;
  MAGI_TRY(const std::size_t size, os::read_some(fd, buffer.data(), buffer.size()));
  if (size > 0) on_output({buffer.data(), size});
  return size > 0;
}

}  // namespace

Result<ChildEnd> run_child(os::SpawnOptions options, const std::atomic<bool>& stop,
                           const std::function<void(std::string_view)>& on_output) {
  MAGI_TRY(os::Pipe pipe, os::make_pipe());
  options.stdout_fd = options.stderr_fd = pipe.write.get();
  options.new_group = true;
  MAGI_TRY(os::Child child, os::spawn(options));
  pipe.write.reset();
  Stopper stopper;
  bool open = true;
  while (true) {
    if (open) {
      MAGI_TRY(open, pump(pipe.read.get(), kLookMs, on_output));
    }
    stopper.look(child, stop);
    MAGI_TRY(const std::optional<int> status, child.wait_for(open ? 0 : kLookMs));
    if (!status) continue;
    // What it wrote last is still in the pipe.
    for (pollfd entry{pipe.read.get(), POLLIN, 0}; open && poll(&entry, 1, 0) > 0;) {
      MAGI_TRY(open, pump(pipe.read.get(), 0, on_output));
    }
    return ChildEnd{os::exit_code_of(*status), stopper.asked()};
  }
}

}  // namespace magi::code::tui
