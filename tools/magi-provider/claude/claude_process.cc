#include "tools/magi-provider/claude/claude_process.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "tools/magi-provider/failure.h"

namespace magi::provider {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024, kMaxComplaintBytes = 4096;
constexpr int kLongPromptFd = 3, kExitPatienceMs = 500;

// A file without a name, so that nothing is left behind.
Result<os::Fd> nameless_file(const std::string& text) {
  os::Fd fd(::memfd_create("prompt", MFD_CLOEXEC));
  if (!fd) return errno_error("cannot hand the instructions to claude", errno);
  MAGI_CHECK(os::write_all(fd.get(), text));
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

// A socket rather than a pipe: writing to one whose reader has gone raises no signal.
Result<os::Pipe> make_input() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return errno_error("cannot make a channel to claude", errno);
  return os::Pipe{os::Fd(ends[0]), os::Fd(ends[1])};
}

}  // namespace

Result<ClaudeProcess> ClaudeProcess::start(const Start& start) {
  MAGI_TRY(os::Pipe input, make_input());
  MAGI_TRY(os::Pipe output, os::make_pipe());
  MAGI_TRY(os::Pipe errors, os::make_pipe());
  os::SpawnOptions spawn;
  spawn.program = start.program;
  spawn.args = start.args;
  spawn.env = start.env;
  spawn.stdin_fd = input.read.get();
  spawn.stdout_fd = output.write.get();
  spawn.stderr_fd = errors.write.get();
  spawn.new_group = true;
  os::Fd prompt;
  if (!start.long_prompt.empty()) {
    MAGI_TRY(prompt, nameless_file(start.long_prompt));
    spawn.extra_fds = {{prompt.get(), kLongPromptFd}};
  }
  ClaudeProcess process;
  MAGI_TRY(process.child_, os::spawn(spawn));
  process.input_ = std::move(input.write);
  process.output_ = std::move(output.read);
  process.errors_ = std::move(errors.read);
  for (const os::Fd* fd : {&process.input_, &process.output_, &process.errors_})
    MAGI_CHECK(os::set_nonblocking(fd->get(), true));
  return process;
}

void ClaudeProcess::write_pending() {
  while (input_ && !pending_.empty()) {
    const ssize_t n = ::send(input_.get(), pending_.data(), std::min(pending_.size(), kBlockBytes), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) {
      // It reads no more; what it says, or how it ends, tells why.
      input_.reset();
      return pending_.clear();
    }
    pending_.erase(0, static_cast<std::size_t>(n));
  }
  if (closing_) input_.reset();
}

bool ClaudeProcess::step() {
  write_pending();
  bool came = false;
  while (output_) {
    const ssize_t n = ::read(output_.get(), lines_.prepare(kBlockBytes), kBlockBytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    came = true;
    if (n <= 0) {
      output_.reset();
      break;
    }
    lines_.commit(static_cast<std::size_t>(n));
    break;  // lines are looked at before more is read, so that little is held
  }
  char block[4096];
  while (errors_) {
    const ssize_t n = ::read(errors_.get(), block, sizeof block);
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0 && !(n < 0 && errno == EINTR)) {
      errors_.reset();
    } else if (n > 0) {
      said_.append(block, static_cast<std::size_t>(n));
      if (said_.size() > kMaxComplaintBytes) said_.erase(0, said_.size() - kMaxComplaintBytes);
    }
  }
  return came;
}

std::optional<std::string_view> ClaudeProcess::next_line() {
  while (true) {
    auto line = lines_.next();
    if (!line) continue;
    if (*line) return **line;
    if (output_ || rest_taken_) return std::nullopt;
    rest_taken_ = true;
    return lines_.rest();
  }
}

void ClaudeProcess::watch(std::vector<pollfd>& watched) const {
  if (output_) watched.push_back({output_.get(), POLLIN, 0});
  if (errors_) watched.push_back({errors_.get(), POLLIN, 0});
  if (input_ && !pending_.empty()) watched.push_back({input_.get(), POLLOUT, 0});
}

int ClaudeProcess::exit_status() {
  auto status = child_.wait_for(kExitPatienceMs);
  if (!status || !*status) {
    (void)child_.kill_group(SIGKILL);
    auto killed = child_.wait();
    return killed ? os::exit_code_of(*killed) : kExitFailed;
  }
  return os::exit_code_of(**status);
}

std::string ClaudeProcess::complaint() const {
  std::string_view text = said_;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const std::size_t last = text.rfind('\n');
  return one_line(last == std::string_view::npos ? text : text.substr(last + 1));
}

}  // namespace magi::provider
