#include "tools/magi-tool/inbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "libcommon/event/answers.h"

namespace magi::toolbox {
namespace {

constexpr std::size_t kLongestLine = 256 * 1024 * 1024;
constexpr std::size_t kReadBytes = 64 * 1024;

}  // namespace

Inbox::Inbox(EventLoop& loop, int fd) : loop_(loop), fd_(fd), lines_(kLongestLine) {
  struct stat status {};
  is_file_ = ::fstat(fd, &status) == 0 &&
             (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && ::isatty(fd) == 0));
  if (is_file_) return;
  // Non-blocking mode belongs to the open file, which a terminal's or a pipe's other users share.
  if (!S_ISSOCK(status.st_mode))
    own_.reset(::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (own_) fd_ = own_.get();
  (void)os::set_nonblocking(fd_, true);
  loop.on_readable(fd_, [alive = std::weak_ptr(alive_)] {
    const auto self = alive.lock();
    return self && (*self)->read_some();
  });
}

// False at the end.
bool Inbox::read_some() {
  if (at_end_) return false;
  char* const room = lines_.prepare(kReadBytes);
  const ssize_t got = ::read(fd_, room, kReadBytes);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got < 0) fail(errno_error("stdin", errno));
  if (got > 0) lines_.commit(static_cast<std::size_t>(got));
  take_lines();
  if (got > 0 || at_end_) return !at_end_;
  at_end_ = true;
  if (const auto rest = lines_.rest()) take_line(*rest);
  return false;
}

void Inbox::take_lines() {
  while (!error_) {
    auto line = lines_.next();
    if (!line) return fail(line.error());
    if (!*line) return;
    take_line(**line);
  }
}

void Inbox::take_line(std::string_view line) {
  ++line_number_;
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const Result<json::Node> record = parser_.parse(line);
  if (!record) return fail(record.error());
  const std::optional<std::string> type = event::record_type(*record);
  if (!type) return fail(make_error(ErrorCode::kBadRecord, "not a record: no 'type'"));
  if (*type == event::ToolCall::kType) {
    Result<event::ToolCall> call = event::parse_record<event::ToolCall>(*record);
    if (!call) return fail(call.error());
    waiting_.push_back({*std::move(call)});
  } else if (*type == event::Cancel::kType) {
    const Result<event::Cancel> record_of_cancel = event::parse_record<event::Cancel>(*record);
    if (!record_of_cancel) return fail(record_of_cancel.error());
    cancel(record_of_cancel->call_id);
  }
}

void Inbox::cancel(const std::string& call_id) {
  if (call_id == current_) cancelled_ = true;
  for (Waiting& one : waiting_)
    if (one.call.call_id == call_id) one.cancelled = true;
}

void Inbox::fail(const Error& why) {
  at_end_ = true;
  if (!error_) error_ = make_error(ErrorCode::kBadRecord, "stdin line ", std::to_string(line_number_), ": ", why.what);
}

void Inbox::look() {
  if (!is_file_) loop_.run_ready();
}

Result<std::optional<event::ToolCall>> Inbox::next(const std::function<bool()>& stop) {
  current_.clear();
  cancelled_ = false;
  const auto ready = [&] { return !waiting_.empty() || at_end_ || stop(); };
  if (is_file_)
    while (!ready()) read_some();
  else
    loop_.run_until(ready);
  if (waiting_.empty() || stop()) {
    if (error_ && !stop()) return *error_;
    return std::optional<event::ToolCall>();
  }
  Waiting first = std::move(waiting_.front());
  waiting_.pop_front();
  current_ = first.call.call_id;
  cancelled_ = first.cancelled;
  return std::optional(std::move(first.call));
}

}  // namespace magi::toolbox
