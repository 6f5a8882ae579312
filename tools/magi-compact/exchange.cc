#include "tools/magi-compact/exchange.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "libcommon/json/node.h"
#include "libcommon/os/child.h"
#include "libcommon/os/io.h"

namespace magi::compact {
namespace {

constexpr std::size_t kMaxLineBytes = 512u << 20;
constexpr std::size_t kMaxNoticeBytes = 64 * 1024;
constexpr std::size_t kReadBytes = 64 * 1024;

// The dialogue with one child.
class Exchange {
 public:
  Exchange(std::string_view input, const Watch& watch, const std::function<Result<void>(std::string_view)>& on_line,
           const std::function<void(std::string_view)>& on_notice)
      : input_(input), watch_(watch), on_line_(on_line), on_notice_(on_notice) {}

  Result<int> run(const Program& program) {
    MAGI_TRY(os::Pipe to_child, os::make_pipe());
    MAGI_TRY(os::Pipe from_child, os::make_pipe());
    MAGI_TRY(os::Pipe errors, os::make_pipe());
    os::SpawnOptions options;
    options.program = program.path;
    options.args = program.args;
    options.env = program.env;
    options.stdin_fd = to_child.read.get();
    options.stdout_fd = from_child.write.get();
    options.stderr_fd = errors.write.get();
    // A group of its own: what an interrupt means for it is decided here, and a wrapper's children end with it.
    options.new_group = true;
    MAGI_TRY(os::Child child, os::spawn(options));
    input_fd_ = std::move(to_child.write);
    output_fd_ = std::move(from_child.read);
    notice_fd_ = std::move(errors.read);
    from_child.write.reset();
    errors.write.reset();
    to_child.read.reset();
    MAGI_CHECK(os::set_nonblocking(input_fd_.get(), true));
    MAGI_CHECK(os::set_nonblocking(notice_fd_.get(), true));
    if (input_.empty()) input_fd_.reset();
    while (output_fd_) MAGI_CHECK(step());
    MAGI_TRY(const int status, child.wait());
    MAGI_CHECK(read_notices());
    return os::exit_code_of(status);
  }

  const std::string& last_notice() const { return last_notice_; }

 private:
  Result<void> step() {
    std::array<pollfd, 5> fds{{{input_fd_.get(), POLLOUT, 0},
                               {output_fd_.get(), POLLIN, 0},
                               {notice_fd_.get(), POLLIN, 0},
                               {watch_.signal_fd(), POLLIN, 0},
                               {watch_.caller_fd(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return errno_error("cannot wait for a child", errno);
    if (!watch_.go_on()) return watch_.why();
    if (fds[0].revents) MAGI_CHECK(write_input());
    if (fds[2].revents) MAGI_CHECK(read_notices());
    if (fds[1].revents) MAGI_CHECK(read_output());
    return {};
  }

  // A child that reads no further says why by its exit status.
  Result<void> write_input() {
    const ssize_t count = ::write(input_fd_.get(), input_.data(), input_.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return {};
    if (count < 0)
      input_ = {};
    else
      input_.remove_prefix(static_cast<std::size_t>(count));
    if (input_.empty()) input_fd_.reset();
    return {};
  }

  Result<void> read_output() {
    MAGI_TRY(const std::size_t count, os::read_some(output_fd_.get(), lines_.prepare(kReadBytes), kReadBytes));
    lines_.commit(count);
    while (true) {
      MAGI_TRY(const auto line, lines_.next());
      if (!line) break;
      MAGI_CHECK(on_line_(*line));
    }
    if (count > 0) return {};
    output_fd_.reset();
    if (const auto rest = lines_.rest()) return on_line_(*rest);
    return {};
  }

  Result<void> read_notices() {
    std::array<char, 4096> bytes;
    while (notice_fd_) {
      const ssize_t count = ::read(notice_fd_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        if (count == 0 || errno != EAGAIN) notice_fd_.reset();
        break;
      }
      notices_.push({bytes.data(), static_cast<std::size_t>(count)});
      while (true) {
        const auto line = notices_.next();
        if (!line) continue;  // an overlong one is passed over
        if (!*line) break;
        if (!last_notice_.empty()) on_notice_(last_notice_);
        last_notice_ = **line;
      }
    }
    return {};
  }

  std::string_view input_;
  const Watch& watch_;
  const std::function<Result<void>(std::string_view)>& on_line_;
  const std::function<void(std::string_view)>& on_notice_;
  os::Fd input_fd_, output_fd_, notice_fd_;
  os::LineSplitter lines_{kMaxLineBytes}, notices_{kMaxNoticeBytes};
  std::string last_notice_;  // not handed on yet
};

}  // namespace

Result<Watch> Watch::begin(bool has_caller) {
  MAGI_TRY(os::StopSignals signals, os::StopSignals::catch_signals());
  struct stat info {};
  const bool is_pipe = ::fstat(STDIN_FILENO, &info) == 0 && S_ISFIFO(info.st_mode);
  return Watch(std::move(signals), has_caller && is_pipe);
}

bool Watch::go_on() const {
  if (signals_.received() != 0) return false;
  if (!has_caller_) return true;
  // Nobody writes to it: that it ends is all that it says.
  pollfd entry{STDIN_FILENO, POLLIN, 0};
  return ::poll(&entry, 1, 0) <= 0 || entry.revents == 0;
}

Error Watch::why() const {
  return make_error(ErrorCode::kCancelled, signals_.received() != 0
                                               ? "interrupted; the session is as it was"
                                               : "the program that asked for it has ended; the session is as it was");
}

int Watch::exit_status() const { return signals_.received() == 0 ? 0 : 128 + signals_.received(); }

Result<void> run_program(const Program& program, std::string_view input, const Watch& watch,
                         const std::function<Result<void>(std::string_view)>& on_line,
                         const std::function<void(std::string_view)>& on_notice) {
  static_assert(os::kLinePadding >= json::kPadding);
  Exchange exchange(input, watch, on_line, on_notice);
  MAGI_TRY(const int status, exchange.run(program));
  const std::string name = program.path.substr(program.path.rfind('/') + 1);
  if (status == 0) {
    if (!exchange.last_notice().empty()) on_notice(exchange.last_notice());
    return {};
  }
  return make_error(
      status == kExitUsage ? ErrorCode::kConfig : ErrorCode::kUpstream,
      exchange.last_notice().empty() ? name + " failed with status " + std::to_string(status) : exchange.last_notice());
}

}  // namespace magi::compact
