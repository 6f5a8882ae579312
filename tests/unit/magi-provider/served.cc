#include "tests/unit/magi-provider/served.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libcommon/base/clock.h"
#include "libcommon/json/node.h"
#include "tests/unit/magi-provider/recordings.h"

namespace magi::provider {
namespace {

namespace fs = std::filesystem;

std::string new_folder() {
  std::string path = (fs::temp_directory_path() / "magi-provider-test.XXXXXX").string();
  if (!mkdtemp(path.data())) ADD_FAILURE() << "no temporary folder";
  return path;
}

struct Pipe {
  os::Fd read, write;
};
Pipe new_pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) ADD_FAILURE() << "no pipe";
  return {os::Fd(ends[0]), os::Fd(ends[1])};
}

sockaddr* as_address(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

}  // namespace

Served::Served(std::vector<std::string> arguments, std::vector<std::string> environment) : home_(new_folder()) {
  signal(SIGPIPE, SIG_IGN);
  Pipe in = new_pipe(), out = new_pipe();
  os::SpawnOptions options;
  options.program = repository_folder() / "build/bin/magi-provider";
  options.args = std::move(arguments);
  options.args.push_back("--serve");
  options.env = std::move(environment);
  options.env.push_back("MC_HOME=" + home_);
  options.env.push_back("OPENAI_API_KEY=k");
  options.stdin_fd = in.read.get();
  options.stdout_fd = out.write.get();
  auto child = os::spawn(options);
  if (!child) {
    ADD_FAILURE() << child.error().what;
    return;
  }
  child_ = *std::move(child);
  to_ = std::move(in.write);
  from_ = std::move(out.read);
}

Served::~Served() {
  std::error_code error;
  fs::remove_all(home_, error);
}

void Served::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(to_.get(), text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void Served::ask(std::string_view request_id) {
  write(R"({"type":"request","request_id":")" + std::string(request_id) +
        "\"}\n{\"type\":\"user\",\"text\":\"hi\"}\n{\"type\":\"end\",\"items\":1}\n");
}

void Served::cancel(std::string_view request_id) {
  write(R"({"type":"cancel","request_id":")" + std::string(request_id) + "\"}\n");
}

std::optional<std::string> Served::next(std::string_view type) {
  const std::string wanted = R"({"type":")" + std::string(type) + "\"";
  const std::int64_t end_ns = monotonic_ns() + 10'000'000'000;
  while (true) {
    for (std::size_t end; (end = pending_.find('\n')) != std::string::npos;) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      if (line.starts_with(wanted)) return line;
    }
    pollfd state{from_.get(), POLLIN, 0};
    const std::int64_t left_ms = (end_ns - monotonic_ns()) / 1'000'000;
    if (left_ms <= 0 || poll(&state, 1, static_cast<int>(left_ms)) <= 0) return std::nullopt;
    char buffer[65536];
    const ssize_t n = ::read(from_.get(), buffer, sizeof buffer);
    last_ns_ = monotonic_ns();
    if (n <= 0) return std::nullopt;
    pending_.append(buffer, static_cast<std::size_t>(n));
  }
}

bool Served::ends_within(int timeout_ms) {
  to_.reset();
  const auto status = child_.wait_for(timeout_ms);
  return status && status->has_value();
}

RawServer::RawServer(Kind kind, std::string answer) : answer_(std::move(answer)) {
  listener_ = os::Fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener_.get(), as_address(address), size) != 0 ||
      listen(listener_.get(), kind == Kind::kUnreachable ? 0 : 16) != 0 ||
      getsockname(listener_.get(), as_address(address), &size) != 0)
    ADD_FAILURE() << "cannot listen";
  port_ = ntohs(address.sin_port);
  for (int n = 0; kind == Kind::kUnreachable && n < 4; ++n) {
    fillers_.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    (void)connect(fillers_.back().get(), as_address(address), size);
  }
  if (kind == Kind::kAnswering) thread_ = std::thread([this] { run(); });
}

RawServer::~RawServer() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

std::string RawServer::url(std::string_view scheme) const {
  return std::string(scheme) + "://127.0.0.1:" + std::to_string(port_) + "/v1";
}

void RawServer::run() {
  std::vector<os::Fd> connections;
  while (!stop_) {
    pollfd state{listener_.get(), POLLIN, 0};
    if (poll(&state, 1, 20) <= 0) continue;
    os::Fd peer(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!peer) continue;
    std::string head;
    char byte = 0;
    while (!head.ends_with("\r\n\r\n") && ::read(peer.get(), &byte, 1) == 1) head += byte;
    if (::write(peer.get(), answer_.data(), answer_.size()) < 0) continue;
    connections.push_back(std::move(peer));
  }
}

FakeServer::FakeServer(std::string_view script) : folder_(new_folder()) {
  std::ofstream(folder_ + "/script.json") << script;
  os::SpawnOptions options;
  options.program = repository_folder() / "build/tests/magi-fake-provider";
  options.args = {"--script",    folder_ + "/script.json", "--log",       folder_ + "/log.jsonl",
                  "--port-file", folder_ + "/port",        "--exit-with", std::to_string(getpid())};
  auto child = os::spawn(options);
  if (!child) {
    ADD_FAILURE() << child.error().what;
    return;
  }
  child_ = *std::move(child);
  for (int n = 0; n < 500 && !fs::exists(folder_ + "/port"); ++n) usleep(10'000);
  std::string port = file_text(folder_ + "/port");
  while (!port.empty() && port.back() == '\n') port.pop_back();
  url_ = "http://127.0.0.1:" + port + "/v1";
}

FakeServer::~FakeServer() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

std::int64_t FakeServer::first_byte_ns(std::size_t n) const {
  for (int tries = 0; tries < 500; ++tries, usleep(2'000)) {
    const std::string log = file_text(folder_ + "/log.jsonl");
    json::Parser parser;
    std::size_t seen = 0;
    for (std::size_t at = 0; at < log.size();) {
      const std::size_t end = log.find('\n', at);
      if (end == std::string::npos) break;
      const auto line = parser.parse(log.substr(at, end - at));
      at = end + 1;
      if (line && line->find("ev").as_string() == "response" && seen++ == n)
        return line->find("t_first").as_int().value_or(0);
    }
  }
  return 0;
}

}  // namespace magi::provider
