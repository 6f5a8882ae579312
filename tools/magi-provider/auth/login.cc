#include "tools/magi-provider/auth/login.h"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "libcommon/base/clock.h"
#include "libcommon/os/child.h"
#include "libcommon/os/io.h"
#include "libcommon/tool/report.h"
#include "tools/magi-provider/auth/callback_server.h"
#include "tools/magi-provider/auth/encoding.h"

namespace magi::provider {
namespace {

// The callbacks that the service has registered for this client.
constexpr std::array<std::uint16_t, 2> kPorts{1455, 1457};
constexpr std::int64_t kExchangeMs = 30'000, kNsPerMs = 1'000'000;
constexpr std::size_t kMaxPasteBytes = 16 * 1024;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\"'";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

Result<CallbackServer> open_callback(const LoginOptions& options, const std::string& state) {
  if (options.port) return CallbackServer::listen(static_cast<std::uint16_t>(*options.port), state);
  auto server = CallbackServer::listen(kPorts[0], state);
  if (!server) server = CallbackServer::listen(kPorts[1], state);
  if (server) return server;
  return make_error(ErrorCode::kIo,
                    "cannot log in: ports 1455 and 1457 of this machine are taken; end the other login");
}

// Best effort: the address stands on the terminal as well.
void open_browser(const LoginOptions& options, const std::string& url) {
  if (options.browser.empty()) return;
  os::SpawnOptions spawn;
  spawn.program = options.browser;
  spawn.args = {url};
  spawn.env = options.browser_env;
  if (auto child = os::spawn(spawn)) child->release();
}

// The lines of stdin, as far as they have come.
class Paste {
 public:
  explicit Paste(bool enabled) : fd_(enabled ? STDIN_FILENO : -1), lines_(kMaxPasteBytes) {}
  int fd() const { return fd_; }

  void read() {
    std::array<char, 4096> block;
    const auto n = os::read_some(fd_, block.data(), block.size());
    if (!n || *n == 0)
      fd_ = -1;
    else
      lines_.push({block.data(), *n});
  }
  std::optional<std::string> next() {
    const auto line = lines_.next();
    if (!line || !*line) return std::nullopt;
    return std::string(**line);
  }

 private:
  int fd_;
  os::LineSplitter lines_;
};

Result<std::string> wait_for_code(const LoginOptions& options, CallbackServer& server, const std::string& state) {
  Paste paste(options.reads_stdin);
  const std::int64_t end_ns = monotonic_ns() + options.timeout_s * 1000 * kNsPerMs;
  while (true) {
    const std::int64_t left_ms = (end_ns - monotonic_ns()) / kNsPerMs;
    if (left_ms <= 0) return make_error(ErrorCode::kUpstream, "cannot log in: nobody agreed in time");
    std::vector<pollfd> watched;
    server.watch(watched);
    watched.push_back({paste.fd(), POLLIN, 0});
    // Visitors that say nothing are looked after once a second.
    ::poll(watched.data(), watched.size(), static_cast<int>(std::min<std::int64_t>(left_ms, 1000)));
    if (const auto callback = server.step()) {
      if (callback->refusal.empty()) return callback->code;
      return make_error(ErrorCode::kUpstream, "cannot log in: ", callback->refusal);
    }
    if (paste.fd() >= 0 && watched.back().revents) paste.read();
    while (const auto line = paste.next()) {
      if (trimmed(*line).empty()) continue;
      auto code = code_of_paste(*line, state);
      if (code) return code;
      tool::notice(options.name, code.error().what);
    }
  }
}

Result<Login> exchange(const LoginOptions& options, Transport& transport, const CodeGrant& grant) {
  TokenRequest request = TokenRequest::for_code(options.service, grant);
  transport.begin(request.http(), request);
  const std::int64_t end_ns = monotonic_ns() + kExchangeMs * kNsPerMs;
  for (transport.step(); transport.active(); transport.step()) {
    const std::int64_t left_ns = end_ns - monotonic_ns();
    if (left_ns <= 0) {
      transport.abort();
      return make_error(ErrorCode::kUpstream, "cannot log in: no answer in time from ", options.service.issuer);
    }
    transport.wait({}, -1, left_ns / kNsPerMs + 1);
  }
  Login login;
  if (const auto refusal = request.finish(transport.failure(), login))
    return make_error(ErrorCode::kUpstream, "cannot log in: ", refusal->message);
  if (login.account_id.empty())
    return make_error(ErrorCode::kUpstream, "cannot log in: the account service names no account");
  return login;
}

}  // namespace

std::string authorize_url(const AccountService& service, std::string_view redirect_uri, std::string_view challenge,
                          std::string_view state) {
  std::string url = service.issuer + "/oauth/authorize?response_type=code";
  const auto add = [&](std::string_view name, std::string_view value) {
    url.append("&").append(name).append("=").append(percent_encoded(value));
  };
  add("client_id", service.client_id);
  add("redirect_uri", redirect_uri);
  add("scope", "openid profile email offline_access");
  add("code_challenge", challenge);
  add("code_challenge_method", "S256");
  add("id_token_add_organizations", "true");
  add("codex_cli_simplified_flow", "true");
  add("originator", "magi-code");
  add("state", state);
  return url;
}

Result<std::string> code_of_paste(std::string_view line, std::string_view state) {
  line = trimmed(line);
  std::optional<std::string> code, said;
  if (const std::size_t question = line.find('?'); question != std::string_view::npos) {
    const std::string_view query = line.substr(question + 1, line.find('#', question) - question - 1);
    code = query_value(query, "code");
    said = query_value(query, "state").value_or("");
  } else if (const std::size_t mark = line.find('#'); mark != std::string_view::npos) {
    code = std::string(line.substr(0, mark));
    said = percent_decoded(line.substr(mark + 1));  // it may come out of an address
  } else {
    code = std::string(line);
  }
  if (said && *said != state)
    return make_error(ErrorCode::kUsage, "what was pasted belongs to another login; paste the address of this one");
  if (!code || code->empty() || code->find_first_of(" \t") != std::string::npos)
    return make_error(ErrorCode::kUsage, "what was pasted holds no code");
  return *code;
}

Result<Login> log_in(const LoginOptions& options, Transport& transport) {
  MAGI_TRY(const std::string verifier_bytes, random_bytes(64));
  MAGI_TRY(const std::string state_bytes, random_bytes(32));
  const std::string verifier = base64url(verifier_bytes), state = base64url(state_bytes);
  MAGI_TRY(CallbackServer server, open_callback(options, state));
  const std::string url =
      authorize_url(options.service, server.redirect_uri(), base64url(sha256_bytes(verifier)), state);
  std::string text = "open this address in a browser to log in:\n" + url + "\n";
  if (options.reads_stdin)
    text += "if the browser is on another machine, paste here the address that it was sent to, or the code";
  (void)os::write_all(STDERR_FILENO, text + "\n");
  open_browser(options, url);
  MAGI_TRY(const std::string code, wait_for_code(options, server, state));
  return exchange(options, transport, {code, verifier, server.redirect_uri()});
}

}  // namespace magi::provider
