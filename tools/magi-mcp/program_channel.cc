// A server that is a child process.  It has a group of its own, so that what it starts goes with it.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include "libcommon/base/clock.h"
#include "libcommon/base/utf8.h"
#include "libcommon/os/child.h"
#include "libcommon/os/io.h"
#include "tools/magi-mcp/channel.h"

namespace magi::mcp {
namespace {

constexpr std::size_t kMostWaiting = 64u << 20;  // bytes that a server does not read
constexpr std::size_t kKeptErrors = 2000;        // bytes of its standard error
constexpr int kMostReadsAtOnce = 16;             // a flood must not keep the loop from its other work
constexpr int kEndMs = 300, kTermMs = 400;       // after its input ended, after SIGTERM

// Whether a child ends in time; it is not reaped.
bool ends_within(pid_t pid, int timeout_ms) {
  const os::Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd ended{process.get(), POLLIN, 0};
  return process && ::poll(&ended, 1, timeout_ms) > 0;
}

class ProgramChannel final : public Channel {
 public:
  ProgramChannel(Loop& loop, Handlers handlers, os::Child child, os::Fd in, os::Fd out, os::Fd err)
      : loop_(loop),
        handlers_(std::move(handlers)),
        child_(std::move(child)),
        in_(std::move(in)),
        out_(std::move(out)),
        err_(std::move(err)) {
    for (const os::Fd* fd : {&in_, &out_, &err_}) (void)os::set_nonblocking(fd->get(), true);
    out_watch_ = loop_.watch(out_.get(), POLLIN, [this](short) { read_messages(); });
    err_watch_ = loop_.watch(err_.get(), POLLIN, [this](short) { read_errors(); });
    in_watch_ = loop_.watch(in_.get(), 0, [this](short) { write_some(); });
  }
  ~ProgramChannel() override { unwatch(); }

  void send(std::string json, std::int64_t) override {
    if (!in_) return;
    if (waiting_.size() - written_ > kMostWaiting) return die("it does not read what it is sent");
    waiting_.append(json) += '\n';
    write_some();
  }
  void forget(std::int64_t) override {}
  void opened(std::string_view) override {}
  void hang_up() override {
    hung_up_ns_ = monotonic_ns();
    loop_.unwatch(std::exchange(in_watch_, 0));
    in_.reset();
  }
  void close() override;

 private:
  void unwatch() {
    for (Loop::Token* token : {&in_watch_, &out_watch_, &err_watch_}) loop_.unwatch(std::exchange(*token, 0));
  }
  void write_some();
  void read_messages();
  void read_errors();
  void die(std::string why);
  std::optional<int> end_child();
  std::string last_words() const;

  Loop& loop_;
  Handlers handlers_;
  os::Child child_;
  os::Fd in_, out_, err_;
  Loop::Token in_watch_ = 0, out_watch_ = 0, err_watch_ = 0;
  std::string waiting_;  // bytes for it, of which `written_` have been taken
  std::size_t written_ = 0;
  os::LineSplitter lines_{kLongestMessage};
  std::string errors_;  // the end of its standard error
  std::int64_t hung_up_ns_ = 0;
  bool closed_ = false;
};

void ProgramChannel::write_some() {
  while (written_ < waiting_.size()) {
    const ssize_t count = ::write(in_.get(), waiting_.data() + written_, waiting_.size() - written_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    // It does not read any more; whether it still answers is seen on the other side.
    if (count < 0) written_ = waiting_.size();
    if (count > 0) written_ += static_cast<std::size_t>(count);
  }
  if (written_ == waiting_.size()) {
    waiting_.clear();
    written_ = 0;
  }
  loop_.set_events(in_watch_, waiting_.empty() ? 0 : POLLOUT);
}

void ProgramChannel::read_messages() {
  for (int reads = 0; reads < kMostReadsAtOnce && !closed_; ++reads) {
    constexpr std::size_t kBytes = 64 * 1024;
    const ssize_t got = ::read(out_.get(), lines_.prepare(kBytes), kBytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return die("");
    lines_.commit(static_cast<std::size_t>(got));
    while (!closed_) {
      const auto line = lines_.next();
      if (!line) return die("it wrote a message of more than 32 MiB");
      if (!*line) break;
      if ((*line)->find_first_not_of(" \t\r") != std::string_view::npos) handlers_.on_message(**line);
    }
  }
}

void ProgramChannel::read_errors() {
  std::array<char, 16 * 1024> bytes;
  const ssize_t got = ::read(err_.get(), bytes.data(), bytes.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return loop_.unwatch(std::exchange(err_watch_, 0));
  errors_.append(bytes.data(), static_cast<std::size_t>(got));
  if (errors_.size() > 2 * kKeptErrors) errors_.erase(0, errors_.size() - kKeptErrors);
}

// The last lines that it wrote to its standard error, in one.
std::string ProgramChannel::last_words() const {
  std::string text =
      utf8::sanitize(std::string_view(errors_).substr(errors_.size() - std::min(errors_.size(), kKeptErrors)));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::size_t from = text.size();
  for (int lines = 0; lines < 3 && from != std::string::npos && from > 0; ++lines) from = text.rfind('\n', from - 1);
  if (from != std::string::npos && from < text.size()) text.erase(0, from + 1);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

// `why` empty: it ended by itself.
void ProgramChannel::die(std::string why) {
  if (std::exchange(closed_, true)) return;
  if (why.empty()) {
    const auto status = end_child();
    why = status ? "it ended with status " + std::to_string(os::exit_code_of(*status)) : "it closed its output";
  }
  if (err_watch_ != 0) read_errors();
  if (const std::string words = last_words(); !words.empty()) why += ": " + words;
  unwatch();
  in_.reset();
  child_ = {};  // with its group
  handlers_.on_closed(make_error(ErrorCode::kUpstream, why));
}

void ProgramChannel::close() {
  if (std::exchange(closed_, true)) return;
  unwatch();
  in_.reset();
  // Servers that were told before have had their time while others took theirs.
  const std::int64_t had_ms = hung_up_ns_ == 0 ? 0 : (monotonic_ns() - hung_up_ns_) / 1'000'000;
  const auto left_ms = static_cast<int>(std::clamp<std::int64_t>(kEndMs - had_ms, 0, kEndMs));
  if (!ends_within(child_.pid(), left_ms)) (void)child_.kill_group(SIGTERM);
  end_child();
  child_ = {};
}

// Its wait status, once it has ended and what it left in its group is killed; nothing where it goes on.
std::optional<int> ProgramChannel::end_child() {
  if (!ends_within(child_.pid(), kTermMs)) return std::nullopt;
  // While it is not reaped its number is nobody else's.
  (void)child_.kill_group(SIGKILL);
  auto status = child_.wait();
  return status ? std::optional(*status) : std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Channel>> start_program(Loop& loop, const ProgramSpec& spec, Channel::Handlers handlers) {
  std::string_view path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& entry : spec.environment)
    if (entry.starts_with("PATH=")) path = std::string_view(entry).substr(5);
  os::SpawnOptions options;
  if (spec.command.find('/') != std::string::npos) {
    options.program = spec.command;
  } else {
    MAGI_TRY(options.program, os::find_executable(spec.command, path));
  }
  MAGI_TRY(os::Pipe in, os::make_pipe());
  MAGI_TRY(os::Pipe out, os::make_pipe());
  MAGI_TRY(os::Pipe err, os::make_pipe());
  options.args = spec.args;
  options.env = spec.environment;
  options.cwd = spec.folder;
  options.stdin_fd = in.read.get();
  options.stdout_fd = out.write.get();
  options.stderr_fd = err.write.get();
  options.new_group = true;
  MAGI_TRY(os::Child child, os::spawn(options));
  return std::unique_ptr<Channel>(std::make_unique<ProgramChannel>(
      loop, std::move(handlers), std::move(child), std::move(in.write), std::move(out.read), std::move(err.read)));
}

}  // namespace magi::mcp
