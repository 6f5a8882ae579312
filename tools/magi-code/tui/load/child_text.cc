#include "tools/magi-code/tui/load/child_text.h"

#include <poll.h>
#include <signal.h>

#include <array>

#include "libcommon/base/clock.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"

namespace magi::code::tui {
namespace {

int left_ms(std::int64_t deadline_ns) {
  const std::int64_t left = (deadline_ns - monotonic_ns()) / 1'000'000;
  return left < 0 ? 0 : static_cast<int>(left);
}

}  // namespace

Result<ChildText> text_of_child(os::SpawnOptions options, std::size_t max_bytes, int timeout_ms) {
  const std::int64_t deadline_ns = monotonic_ns() + std::int64_t{timeout_ms} * 1'000'000;
  const auto too_slow = [&] {
    return make_error(ErrorCode::kLimit, quoted(options.program), " took longer than ",
                      std::to_string(timeout_ms / 1000), " s and was stopped");
  };
  MAGI_TRY(os::Pipe pipe, os::make_pipe());
  options.stdout_fd = pipe.write.get();
  options.new_group = true;
  MAGI_TRY(os::Child child, os::spawn(options));
  pipe.write.reset();
  ChildText out;
  std::array<char, 64 * 1024> buffer;
  while (!out.cut) {
    pollfd entry{pipe.read.get(), POLLIN, 0};
    if (poll(&entry, 1, left_ms(deadline_ns)) == 0) return too_slow();
    MAGI_TRY(const std::size_t size, os::read_some(pipe.read.get(), buffer.data(), buffer.size()));
    if (size == 0) break;
    out.text.append(buffer.data(), size);
    out.cut = out.text.size() > max_bytes;
  }
  if (out.cut) {
    out.text.resize(max_bytes);
    (void)child.kill_group(SIGKILL);
    return out;
  }
  MAGI_TRY(const std::optional<int> status, child.wait_for(left_ms(deadline_ns)));
  if (!status) return too_slow();
  out.status = os::exit_code_of(*status);
  return out;
}

}  // namespace magi::code::tui
