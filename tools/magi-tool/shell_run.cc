#include "tools/magi-tool/shell_run.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>

#include "libcommon/os/child.h"
#include "libcommon/os/io.h"

namespace magi::toolbox {
namespace {

// Output is complete up to this much (contracts, section 3); of more the head and the end are kept.
constexpr std::size_t kKeptBytes = 16 * 1024 * 1024, kKeptTail = 64 * 1024;
// A flood is cut down to this: nobody reads 16 MiB of it, and the result passes through memory several times.
constexpr std::size_t kFloodHead = 2 * 1024 * 1024;
constexpr std::size_t kEndBytes = 2 * 1024;  // of each stream by itself, at both ends
constexpr int kStatusFd = 3, kHostFd = 4;
constexpr int kMostReadsAtOnce = 16;  // a flood must not keep the loop from its other work

}  // namespace

ShellRun::ShellRun()
    : output_(kKeptBytes - kKeptTail, kKeptTail),
      stdout_ends_(kEndBytes, kEndBytes),
      stderr_ends_(kEndBytes, kEndBytes) {}

Result<std::shared_ptr<ShellRun>> ShellRun::start(EventLoop& loop, const ShellLaunch& launch) {
  MAGI_TRY(os::Pipe out, os::make_pipe());
  MAGI_TRY(os::Pipe err, os::make_pipe());
  MAGI_TRY(os::Pipe status, os::make_pipe());
  MAGI_TRY(os::Pipe host, os::make_pipe());
  os::SpawnOptions spawn;
  spawn.program = launch.confine;
  spawn.args = launch.options;
  for (const char* argument : {"--status-fd", "3", "--host-fd", "4", "--"}) spawn.args.emplace_back(argument);
  spawn.args.insert(spawn.args.end(), launch.command.begin(), launch.command.end());
  spawn.env = launch.environment;
  spawn.cwd = launch.folder;
  spawn.stdout_fd = out.write.get();
  spawn.stderr_fd = err.write.get();
  spawn.extra_fds = {{status.write.get(), kStatusFd}, {host.read.get(), kHostFd}};
  spawn.new_group = true;
  MAGI_TRY(os::Child child, os::spawn(spawn));
  std::shared_ptr<ShellRun> run(new ShellRun);
  run->host_ = std::move(host.write);
  run->supervisor_ = child.release();
  run->watch(loop, std::move(out.read), std::move(err.read), std::move(status.read));
  return run;
}

struct ShellRun::Ends {
  os::Fd out, err, status;
};

void ShellRun::watch(EventLoop& loop, os::Fd out, os::Fd err, os::Fd status) {
  auto ends = std::make_shared<Ends>(Ends{std::move(out), std::move(err), std::move(status)});
  for (const os::Fd* fd : {&ends->out, &ends->err, &ends->status}) (void)os::set_nonblocking(fd->get(), true);
  // Handlers keep the run alive while its output is watched, so that a background child can go on writing.
  const auto self = shared_from_this();
  loop.on_exit(supervisor_, [self, ends] {
    self->supervisor_ = -1;
    self->read_status(*ends);
    if (!self->ended()) self->state_ = self->host_ ? State::kLost : State::kKilled;
  });
  loop.on_readable(ends->out.get(), [self, ends] { return self->read_stream(ends->out, self->stdout_ends_); });
  loop.on_readable(ends->err.get(), [self, ends] { return self->read_stream(ends->err, self->stderr_ends_); });
  loop.on_readable(ends->status.get(), [self, ends] { return self->read_status(*ends); });
}

bool ShellRun::read_stream(const os::Fd& fd, HeadTail& ends) {
  std::array<char, 65536> bytes;
  for (int reads = 0; reads < kMostReadsAtOnce; ++reads) {
    const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    const std::string_view piece(bytes.data(), static_cast<std::size_t>(got));
    output_.append(piece);
    if (output_.is_cut()) output_.limit_head(kFloodHead);
    ends.append(piece);
    if (listener_) listener_(piece);
  }
  return true;
}

bool ShellRun::read_status(const Ends& ends) {
  std::array<char, 1024> bytes;
  const ssize_t got = ::read(ends.status.get(), bytes.data(), bytes.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  status_text_.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  std::size_t end;
  while ((end = status_text_.find('\n')) != std::string::npos) {
    // What the command wrote is in the pipes before its exit is reported; all of it belongs to the result.
    const std::string line = status_text_.substr(0, end);
    status_text_.erase(0, end + 1);
    if (!line.starts_with("started ")) {
      read_stream(ends.out, stdout_ends_);
      read_stream(ends.err, stderr_ends_);
    }
    on_status_line(line);
  }
  return got > 0;
}

void ShellRun::on_status_line(std::string_view line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, space);
  const std::string value(line.substr(std::min(space + 1, line.size())));
  if (word == "exit")
    state_ = State::kExited, code_ = std::atoi(value.c_str());
  else if (word == "signal")
    state_ = State::kSignaled, code_ = std::atoi(value.c_str());
  else if (word == "left")
    left_running_ = true;
  else if (word == "refused")
    state_ = State::kRefused, why_ = value;
  else if (word == "failed")
    state_ = State::kFailed, why_ = value;
}

std::string ShellRun::take_output() {
  std::string text = output_.text();
  output_.clear();
  // What may be the first half of a character waits for the rest of it.
  const std::size_t begun = gone() ? 0 : incomplete_end(text);
  output_.append(std::string_view(text).substr(text.size() - begun));
  text.resize(text.size() - begun);
  return text;
}

void ShellRun::terminate() {
  if (host_) (void)os::write_all(host_.get(), "T");
}

}  // namespace magi::toolbox
