#include "tools/magi-code/stage/co_process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>
#include <boost/process/v2/process.hpp>

#include <array>
#include <deque>
#include <optional>

#include "libcommon/os/child.h"
#include "libcommon/os/io.h"

namespace magi::code {
namespace asio = boost::asio;
namespace process = boost::process::v2;

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::size_t kMaxNoticeBytes = 64 * 1024;
// A pipe of a megabyte lets a history of some megabytes through with few switches between the two processes.
constexpr int kPipeBytes = 1024 * 1024;

}  // namespace

struct CoProcess::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& context, Handlers h, os::Fd input, os::Fd output, os::Fd errors, pid_t child)
      : handlers(std::move(h)),
        to_child(context, input.release()),
        records(context, output.release()),
        notices(context, errors.release()),
        record_lines(handlers.max_line_bytes),
        handle(context.get_executor(), child) {}

  Handlers handlers;
  asio::posix::stream_descriptor to_child, records, notices;
  os::LineSplitter record_lines, notice_lines{kMaxNoticeBytes};
  std::array<char, 4096> notice_bytes;
  process::process handle;
  std::deque<std::shared_ptr<const std::string>> queue;
  bool writing = false, close_when_drained = false, records_ended = false, released = false;
  std::optional<int> status;

  void write_next() {
    if (writing) return;
    if (queue.empty()) {
      if (close_when_drained) close_to_child();
      return;
    }
    if (!to_child.is_open()) return queue.clear();
    writing = true;
    // Asio would write 64 KiB at a time.
    const auto all_at_once = [](boost::system::error_code error, std::size_t) { return error ? 0 : SIZE_MAX; };
    asio::async_write(to_child, asio::buffer(*queue.front()), all_at_once,
                      [self = shared_from_this()](boost::system::error_code error, std::size_t) {
                        self->writing = false;
                        if (!self->queue.empty()) self->queue.pop_front();
                        if (error) {
                          self->queue.clear();
                          self->close_to_child();
                        }
                        self->write_next();
                      });
  }

  void close_to_child() {
    boost::system::error_code ignored;
    if (to_child.is_open()) to_child.close(ignored);
  }

  void read_records() {
    auto room = asio::buffer(record_lines.prepare(kReadBytes), kReadBytes);
    records.async_read_some(room, [self = shared_from_this()](boost::system::error_code error, std::size_t bytes) {
      if (self->released) return;
      self->record_lines.commit(bytes);
      if (!self->deliver_records() || error) {
        self->records_ended = true;
        return self->finish();
      }
      if (!self->released) self->read_records();
    });
  }

  // False when the child floods: a line over the limit ends it.
  bool deliver_records() {
    while (!released) {
      const auto line = record_lines.next();
      if (!line) {
        if (handlers.on_flood) handlers.on_flood();
        kill_group(SIGKILL);
        return false;
      }
      if (!*line) break;
      handlers.on_line(**line);
    }
    return true;
  }

  void read_notices() {
    notices.async_read_some(asio::buffer(notice_bytes),
                            [self = shared_from_this()](boost::system::error_code error, std::size_t bytes) {
                              if (self->released) return;
                              self->deliver_notices({self->notice_bytes.data(), bytes});
                              if (!error && !self->released) self->read_notices();
                            });
  }

  // An overlong notice is passed over.
  void deliver_notices(std::string_view bytes) {
    notice_lines.push(bytes);
    while (!released) {
      const auto line = notice_lines.next();
      if (!line) continue;
      if (!*line) break;
      if (handlers.on_notice) handlers.on_notice(**line);
    }
  }

  // What stands in the pipe when the child has ended; a grandchild may hold it open, so its end is not waited for.
  void drain_notices() {
    boost::system::error_code error;
    notices.non_blocking(true, error);
    std::array<char, 4096> bytes;
    while (!error && !released) {
      const std::size_t count = notices.read_some(asio::buffer(bytes), error);
      deliver_notices({bytes.data(), count});
    }
  }

  // The child is the first of a group of its own; a wrapper's children are in it too, and may outlive the wrapper. Once
  // the output has ended and the child is gone, the number may belong to others.
  void kill_group(int signal) {
    if (!status || !records_ended) ::kill(-handle.id(), signal);
  }

  void await_exit() {
    // What the handler is given does not tell an exit status from a signal; the native status does.
    handle.async_wait([self = shared_from_this()](boost::system::error_code, int) {
      self->status = os::exit_code_of(self->handle.native_exit_code());
      self->finish();
    });
  }

  void finish() {
    if (released || !status || !records_ended) return;
    drain_notices();
    if (std::exchange(released, true)) return;
    if (handlers.on_exit) handlers.on_exit(*status);
  }
};

Result<std::unique_ptr<CoProcess>> CoProcess::start(EventLoop& loop, const Command& command, Handlers handlers) {
  MAGI_TRY(os::Pipe input, os::make_pipe());
  MAGI_TRY(os::Pipe output, os::make_pipe());
  MAGI_TRY(os::Pipe errors, os::make_pipe());
  fcntl(input.write.get(), F_SETPIPE_SZ, kPipeBytes);
  fcntl(output.read.get(), F_SETPIPE_SZ, kPipeBytes);
  os::SpawnOptions options;
  options.program = command.program;
  options.args = command.args;
  options.env = command.env;
  options.cwd = command.cwd;
  options.extra_fds = command.fds;
  options.stdin_fd = input.read.get();
  options.stdout_fd = output.write.get();
  options.stderr_fd = errors.write.get();
  // A group of its own: an interrupt from the terminal reaches us alone, and we decide what it means for the child.
  options.new_group = true;
  MAGI_TRY(os::Child child, os::spawn(options));
  const pid_t pid = child.release();
  auto impl = std::make_shared<Impl>(loop.context(), std::move(handlers), std::move(input.write),
                                     std::move(output.read), std::move(errors.read), pid);
  impl->read_records();
  impl->read_notices();
  impl->await_exit();
  return std::unique_ptr<CoProcess>(new CoProcess(std::move(impl)));
}

CoProcess::~CoProcess() {
  impl_->released = true;
  impl_->close_to_child();
  boost::system::error_code ignored;
  impl_->records.close(ignored);
  impl_->notices.close(ignored);
  impl_->kill_group(SIGKILL);
  if (!impl_->status) impl_->handle.terminate(ignored);
}

void CoProcess::send(std::shared_ptr<const std::string> bytes) {
  if (bytes->empty() || !impl_->to_child.is_open()) return;
  impl_->queue.push_back(std::move(bytes));
  impl_->write_next();
}

void CoProcess::close_input() {
  impl_->close_when_drained = true;
  impl_->write_next();
}

void CoProcess::kill(int signal) { impl_->kill_group(signal); }

pid_t CoProcess::pid() const { return impl_->handle.id(); }

}  // namespace magi::code
