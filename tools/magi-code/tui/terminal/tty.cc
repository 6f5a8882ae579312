#include "tools/magi-code/tui/terminal/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "libcommon/os/fd.h"
#include "tools/magi-code/tui/terminal/guard.h"

namespace magi::code::tui {
namespace {

constexpr std::size_t kReadBytes = 65'536;

// A description of the terminal that is ours alone: what we set on it does not reach the shell and other programs that
// share the standard streams.
Result<os::Fd> open_terminal(int out) {
  std::array<char, 256> name{};
  const int flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
  if (::ttyname_r(out, name.data(), name.size()) == 0) {
    if (os::Fd fd(::open(name.data(), flags)); fd) return fd;
  }
  // The name may belong to another mount namespace.
  os::Fd fd(::open("/dev/tty", flags));
  if (!fd) return errno_error("cannot open the terminal", errno);
  return fd;
}

termios raw_from(termios modes) {
  ::cfmakeraw(&modes);
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  return modes;
}

}  // namespace

struct Tty::Impl {
  os::Fd tty, notices;
  std::string pending;  // what the terminal has not taken yet, from `written` on
  std::size_t written = 0;
  Capabilities capabilities;
  bool mouse = false;

  void set_sequences() const {
    guard::set_sequences(enter_sequence(capabilities, mouse), leave_sequence(capabilities));
  }
  void drop_pending() {
    pending.clear();
    written = 0;
  }
};

Tty::Tty(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Tty>> Tty::open(int in, int out, const Capabilities& capabilities, bool mouse) {
  if (::isatty(in) == 0 || ::isatty(out) == 0)
    return Error{ErrorCode::kUsage, "standard input and output are no terminal"};
  auto impl = std::make_unique<Impl>();
  MAGI_TRY(impl->tty, open_terminal(out));
  impl->notices = os::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!impl->notices) return errno_error("cannot make an eventfd", errno);
  impl->capabilities = capabilities;
  impl->mouse = mouse;
  guard::Modes modes;
  modes.tty = impl->tty.get();
  modes.notice_fd = impl->notices.get();
  if (::tcgetattr(modes.tty, &modes.cooked) != 0) return errno_error("cannot ask for the terminal's modes", errno);
  modes.raw = raw_from(modes.cooked);
  if (!guard::watch(modes)) return Error{ErrorCode::kInternal, "the terminal is in use already"};
  impl->set_sequences();
  guard::want(true);
  guard::hold();
  return std::unique_ptr<Tty>(new Tty(std::move(impl)));
}

Tty::~Tty() {
  guard::want(false);
  guard::unwatch();
}

int Tty::fd() const { return impl_->tty.get(); }
int Tty::notice_fd() const { return impl_->notices.get(); }

Tty::Notices Tty::take_notices() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t ignored = ::read(impl_->notices.get(), &count, sizeof count);
  const guard::Happened happened = guard::take();
  // What was on its way belongs to a screen that is gone.
  if (happened.resumed || happened.ending != 0) impl_->drop_pending();
  return {happened.resized, happened.resumed, happened.ending};
}

Resize Tty::size() const {
  winsize size{};
  if (::ioctl(impl_->tty.get(), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

Result<std::string> Tty::read() {
  std::string bytes(kReadBytes, '\0');
  const ssize_t n = ::read(impl_->tty.get(), bytes.data(), bytes.size());
  if (n > 0) {
    bytes.resize(static_cast<std::size_t>(n));
    return bytes;
  }
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return std::string();
  if (n == 0) return Error{ErrorCode::kIo, "the terminal is gone"};
  return errno_error("cannot read from the terminal", errno);
}

void Tty::write(std::string_view bytes) {
  if (!guard::is_held()) return;
  impl_->pending.append(bytes);
  write_more();
}

bool Tty::wants_write() const { return impl_->written < impl_->pending.size(); }

void Tty::write_more() {
  while (wants_write()) {
    const ssize_t n = guard::write(std::string_view(impl_->pending).substr(impl_->written));
    if (n > 0) {
      impl_->written += static_cast<std::size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {
      return;
    } else if (n == 0 || errno != EINTR) {
      break;  // the terminal is gone: read() says so
    }
  }
  impl_->drop_pending();
}

void Tty::set_capabilities(const Capabilities& capabilities, bool mouse) {
  impl_->capabilities = capabilities;
  impl_->mouse = mouse;
  impl_->set_sequences();
  write(modes_sequence(capabilities, mouse));
}

void Tty::suspend() {
  impl_->drop_pending();
  guard::release();
  ::kill(0, SIGTSTP);
}

void Tty::release() {
  impl_->drop_pending();
  guard::want(false);
  guard::release();
}

void Tty::acquire() {
  guard::want(true);
  guard::hold();
}

}  // namespace magi::code::tui
