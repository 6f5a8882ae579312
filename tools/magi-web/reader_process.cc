#include "tools/magi-web/reader_process.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "libcommon/base/clock.h"
#include "libcommon/json/node.h"
#include "libcommon/os/child.h"
#include "libcommon/os/signals.h"

namespace magi::web {
namespace {

constexpr std::int64_t kLimitNs = 20'000'000'000;
constexpr std::size_t kMostBytes = 256u << 20;
constexpr std::size_t kPiece = 64 * 1024;

// Both directions at once; false where the child does not end in time.
bool talk(const std::string& input, os::Fd to, const os::Fd& from, std::string& output) {
  (void)os::set_nonblocking(to.get(), true);
  std::size_t sent = 0;
  const std::int64_t deadline = monotonic_ns() + kLimitNs;
  while (monotonic_ns() < deadline && output.size() < kMostBytes) {
    pollfd fds[] = {{from.get(), POLLIN, 0}, {to.get(), POLLOUT, 0}};
    ::poll(fds, to ? 2 : 1, 100);
    if (to && fds[1].revents != 0) {
      const ssize_t count = ::write(to.get(), input.data() + sent, input.size() - sent);
      if (count > 0) sent += static_cast<std::size_t>(count);
      if ((count < 0 && errno != EAGAIN && errno != EINTR) || sent == input.size()) to.reset();
    }
    if (fds[0].revents == 0) continue;
    const std::size_t before = output.size();
    output.resize(before + kPiece);
    const ssize_t count = ::read(from.get(), output.data() + before, kPiece);
    output.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count == 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
  return false;
}

Result<HtmlText> ask(const std::string& html, const std::string& url) {
  MAGI_TRY(os::Pipe in, os::make_pipe());
  MAGI_TRY(os::Pipe out, os::make_pipe());
  os::SpawnOptions options;
  options.program = "/proc/self/exe";
  options.args = {"--json", "--html", url};
  options.stdin_fd = in.read.get();
  options.stdout_fd = out.write.get();
  MAGI_TRY(const os::Child child, os::spawn(options));
  in.read.reset();
  out.write.reset();
  std::string answer;
  if (!talk(html, std::move(in.write), out.read, answer)) return make_error(ErrorCode::kUpstream, "no answer");
  json::Parser parser;
  MAGI_TRY(const json::Node node, parser.parse(answer));
  return HtmlText{node.find("title").as_string().value_or(""), node.find("text").as_string().value_or(""),
                  node.find("plain").as_bool().value_or(false)};
}

}  // namespace

HtmlText read_html_apart(const std::string& html, const std::string& url) {
  os::ignore_sigpipe();
  Result<HtmlText> read = ask(html, url);
  os::default_sigpipe();
  return read ? *std::move(read) : html_without_tags(html);
}

}  // namespace magi::web
