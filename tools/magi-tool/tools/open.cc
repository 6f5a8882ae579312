// open: a page of the Web as text.  magi-web fetches it, in a process of its own.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "libcommon/base/clock.h"
#include "libcommon/base/utf8.h"
#include "libcommon/json/node.h"
#include "libcommon/os/child.h"
#include "libcommon/tool/tool_path.h"
#include "tools/magi-tool/session.h"
#include "tools/magi-tool/shell_environment.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {
    {"url", Type::kString, true, ""},
    {"offset", Type::kInteger, false, "first line of the text, from 1"},
};

constexpr std::int64_t kLimitNs = 45'000'000'000;     // magi-web gives up before
constexpr std::size_t kMostBytes = 32 * 1024 * 1024;  // of its answer
constexpr std::size_t kMargin = 1'000;                // of the view, for head and remark
constexpr int kTickMs = 20;

// "example.org" of a URL as a model spells it.  What is fetched is decided by magi-web alone: this is what the user is
// asked about, and a host that is read otherwise there is refused by --host.
std::string host_of(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#\\"));
  if (const std::size_t user = url.rfind('@'); user != std::string_view::npos) url.remove_prefix(user + 1);
  if (!url.starts_with('[')) url = url.substr(0, url.rfind(':'));
  std::string host(url);
  for (char& c : host)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return host;
}

// What a child writes, until it ends, the call is cancelled or the time is over.
class Fetch {
 public:
  static Result<Fetch> start(const Session& session, const std::string& url, const std::string& host);
  // False: cancelled.
  Result<bool> wait(const Call& call);
  const std::string& output() const { return output_; }
  std::string complaint() const;

 private:
  bool read_into(os::Fd& fd, std::string& text, std::size_t most);

  os::Child child_;
  os::Fd out_, err_;
  std::string output_, errors_;
};

Result<Fetch> Fetch::start(const Session& session, const std::string& url, const std::string& host) {
  const config::Environment& environment = session.environment;
  const tool::ToolPath tools(environment.get_or("MAGI_TOOL_PATH", ""), environment.get_or("PATH", ""));
  MAGI_TRY(os::Pipe out, os::make_pipe());
  MAGI_TRY(os::Pipe err, os::make_pipe());
  os::SpawnOptions options;
  MAGI_TRY(options.program, tools.find("magi-web"));
  options.args = {"--json", "--same-host", "--host", host};
  if (session.allow_private) options.args.emplace_back("--allow-private");
  options.args.insert(options.args.end(), {"--", url});
  options.env = shell_environment(environment, session.shell.settings().removed, {});
  options.stdout_fd = out.write.get();
  options.stderr_fd = err.write.get();
  options.new_group = true;
  Fetch fetch;
  MAGI_TRY(fetch.child_, os::spawn(options));
  fetch.out_ = std::move(out.read);
  fetch.err_ = std::move(err.read);
  return fetch;
}

// False at the end.
bool Fetch::read_into(os::Fd& fd, std::string& text, std::size_t most) {
  std::array<char, 64 * 1024> bytes;
  const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return fd.reset(), false;
  text.append(bytes.data(), std::min(static_cast<std::size_t>(got), most - std::min(most, text.size())));
  return true;
}

Result<bool> Fetch::wait(const Call& call) {
  const std::int64_t deadline = monotonic_ns() + kLimitNs;
  while (out_ || err_) {
    if (call.cancelled()) return false;
    if (monotonic_ns() > deadline) return make_error(ErrorCode::kUpstream, "the page did not come in time");
    pollfd fds[] = {{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}};
    ::poll(fds, 2, kTickMs);
    if (fds[0].revents) read_into(out_, output_, kMostBytes);
    if (fds[1].revents) read_into(err_, errors_, 4096);
  }
  return true;
}

// What it said on its standard error, without its name and its advice for people.
std::string Fetch::complaint() const {
  std::string text = errors_.substr(0, errors_.find('\n'));
  if (text.starts_with("magi-web: ")) text.erase(0, 10);
  return text.empty() ? "magi-web failed" : text;
}

// The lines from `offset` on that fit into the view.
void add_window(std::string_view text, std::int64_t offset, Outcome& outcome) {
  const auto all =
      static_cast<std::int64_t>(std::count(text.begin(), text.end(), '\n')) + (text.ends_with('\n') ? 0 : 1);
  std::int64_t line = 1;
  for (; line < offset && !text.empty(); ++line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  std::size_t room = kViewCharacters - kMargin;
  std::int64_t last = line - 1;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    const std::size_t characters = utf8::count(one);
    if (characters > room) {
      if (last >= line) break;
      append_clipped(outcome.output, one, room);  // a line that no window holds
      text.remove_prefix(one.size());
      ++last;
      break;
    }
    room -= characters;
    outcome.output += one;
    text.remove_prefix(one.size());
    ++last;
  }
  if (text.empty() && line == 1) return;
  outcome.remark = last < line
                       ? "the text has " + counted(all, "line", "lines")
                       : "lines " + std::to_string(line) + "-" + std::to_string(last) + " of " + std::to_string(all);
  if (!text.empty()) outcome.remark += "; go on with offset " + std::to_string(last + 1);
}

Result<Outcome> outcome_of(const Fetch& fetch, std::int64_t offset) {
  json::Parser parser;
  const auto page = parser.parse(fetch.output());
  if (!page) return make_error(ErrorCode::kUpstream, fetch.complaint());
  const auto text = [&](std::string_view key) { return page->find(key).as_string().value_or(""); };
  const std::int64_t status = page->find("status").as_int().value_or(0);
  Outcome outcome;
  outcome.output = text("url") + "\n";
  if (status >= 400) {
    outcome.status = Status::kError;
    outcome.output += "[the server answers " + std::to_string(status) + "]\n";
  }
  if (const std::string title = text("title"); !title.empty()) outcome.output += title + "\n";
  if (const std::string note = text("note"); !note.empty()) outcome.output += "[" + note + "]\n";
  outcome.output += '\n';
  add_window(text("text"), offset, outcome);
  return outcome;
}

Result<Outcome> run(Call& call) {
  const std::string& url = *call.arguments.text("url");
  const std::string host = host_of(url);
  if (host.empty()) return make_error(ErrorCode::kUsage, quoted(url), " names no host");
  MAGI_CHECK(allow_web(call, host));
  call.effects.kind = "read";
  call.effects.network = true;
  call.details.provenance = provenance::kWeb;
  MAGI_TRY(Fetch fetch, Fetch::start(call.session, url, host));
  MAGI_TRY(const bool done, fetch.wait(call));
  if (done) return outcome_of(fetch, call.arguments.integer("offset").value_or(1));
  Outcome outcome;
  outcome.status = Status::kCancelled;
  outcome.output = "cancelled";
  return outcome;
}

}  // namespace

const Tool kOpen{"open", "Fetch a page of the Web, as text.", kParameters, "url", run};

}  // namespace magi::toolbox
