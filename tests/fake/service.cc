#include "tests/fake/service.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "libcommon/base/clock.h"
#include "libcommon/base/utf8.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/json/writer.h"

namespace magi::fake {
namespace {

using json::Node;
using json::Writer;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string path_of(const std::string& target) { return target.substr(0, target.find('?')); }

std::optional<Api> api_of(const Request& request) {
  const std::string path = path_of(request.target);
  if (request.method != "POST") return std::nullopt;
  if (ends_with(path, "/responses")) return Api::kResponses;
  if (ends_with(path, "/messages")) return Api::kMessages;
  if (ends_with(path, "/chat/completions")) return Api::kChat;
  return std::nullopt;
}

bool is_secret(std::string_view name) {
  constexpr std::array<std::string_view, 6> kSecrets = {
      "authorization", "proxy-authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie"};
  return std::find(kSecrets.begin(), kSecrets.end(), name) != kSecrets.end();
}

std::string_view header(const Request& request, std::string_view name) {
  for (const auto& [key, value] : request.headers)
    if (key == name) return value;
  return {};
}

// What stands around the body: every API wants these.
void check_headers(const Request& request, Api api, Report& report) {
  if (header(request, "content-type").substr(0, 16) != "application/json")
    report.problem("header", "content-type is not application/json");
  if (header(request, "content-length").empty()) report.problem("header", "content-length is missing");
  if (api == Api::kMessages && header(request, "anthropic-version").empty())
    report.problem("header", "anthropic-version is missing");
}

std::string refusal(Api api, std::string_view message) {
  const std::string error = "{\"type\":\"invalid_request_error\",\"message\":" + quote(message) + "}";
  return api == Api::kMessages ? "{\"type\":\"error\",\"error\":" + error + "}" : "{\"error\":" + error + "}";
}

std::string model_list(const Script& script) {
  std::string out;
  Writer w(out);
  w.begin_object().key("object").string("list").key("data").begin_array();
  for (const std::string& name : script.models())
    w.begin_object()
        .key("id")
        .string(name)
        .key("object")
        .string("model")
        .key("type")
        .string("model")
        .key("display_name")
        .string(name)
        .key("created")
        .integer(0)
        .key("owned_by")
        .string("fake")
        .end_object();
  w.end_array().key("has_more").boolean(false).end_object();
  return out;
}

void write_headers(Writer& w, const Headers& headers) {
  w.begin_object();
  for (const auto& [name, value] : headers)
    w.key(name).string(is_secret(name) ? "sha256:" + sha256_hex(value).substr(0, 16) : value);
  w.end_object();
}

}  // namespace

Log::~Log() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> Log::open(const std::string& path) {
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd_ < 0) return errno_error("cannot open the log", errno);
  return {};
}

void Log::line(std::string text) {
  if (fd_ < 0) return;
  text += '\n';
  const std::lock_guard lock(mutex_);
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t n = ::write(fd_, rest.data(), rest.size());
    if (n <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
}

bool Service::answer(const Request& request, Peer& peer) {
  const std::uint64_t id = ++requests_;
  std::string note;
  const Sent sent = dispatch(request, peer, id, note);
  log_response(id, sent, note);
  return sent.keep_alive;
}

Sent Service::dispatch(const Request& request, Peer& peer, std::uint64_t id, std::string& note) {
  const std::string path = path_of(request.target);
  const std::optional<Api> api = api_of(request);
  json::Parser parser;
  const auto body = api ? parser.parse(request.body) : Result<Node>(Node());
  std::optional<Report> report;
  if (api && body) {
    report = read_request(*api, *body);
    check_headers(request, *api, *report);
  }
  log_request(request, id, report ? &*report : nullptr, report.has_value());
  if (!api && request.method == "GET" && ends_with(path, "/models")) {
    const auto script = script_.current();
    return send_plain(peer, 200, "application/json", {}, script ? model_list(*script) : "{\"data\":[]}");
  }
  if (!api && ends_with(path, "/count_tokens"))
    return send_plain(peer, 200, "application/json", {},
                      "{\"input_tokens\":" + std::to_string((request.body.size() + 3) / 4) + "}");
  if (!api) return send_plain(peer, 404, "application/json", {}, refusal(Api::kChat, "not served here: " + path));
  if (!body) return send_plain(peer, 400, "application/json", {}, refusal(*api, body.error().what));
  return play(request, *api, *body, *report, peer, id, note);
}

Sent Service::play(const Request& request, Api api, const Node& body, const Report& report, Peer& peer,
                   std::uint64_t id, std::string& note) {
  const auto script = script_.current();
  if (!script) return send_plain(peer, 500, "text/plain", {}, note = script.error().what);
  const auto turn = script->turn_for({report, request.body}, turns_asked_++);
  if (!turn) return send_plain(peer, 500, "text/plain", {}, note = turn.error().what);
  note = turn->key;
  const std::string surrogate = "body: holds half of a surrogate pair";
  const auto& problems = report.problems;
  if (std::find(problems.begin(), problems.end(), surrogate) != problems.end() ||
      (script->strict() && !problems.empty()))
    return send_plain(peer, 400, "application/json", {}, refusal(api, problems.front()));
  const std::optional<Fault> fault = script_.take_fault(*turn);
  if (fault && fault->raw) return send_raw(peer, *fault->raw);
  if (fault && fault->status) {
    if (fault->stall_ms > 0 && !peer.pause(fault->stall_ms)) return Sent::client_left();
    const std::string standard = refusal(api, "scripted fault");
    return send_plain(peer, *fault->status, fault->body.empty() ? "application/json" : fault->content_type,
                      fault->headers, fault->content_type.empty() ? standard : fault->body);
  }
  const std::int64_t estimate = static_cast<std::int64_t>(request.body.size() + 3) / 4;
  const std::string model = text_of(body, "model");
  const bool usage_asked = body.find("stream_options").find("include_usage").as_bool().value_or(false);
  const Rendering how{id, model, turn->input_tokens.value_or(estimate),
                      turn->output_tokens.value_or(static_cast<std::int64_t>(turn->text.size() + 3) / 4), usage_asked};
  const bool stream = body.find("stream").as_bool().value_or(false);
  return send_answer(peer, *turn, fault, render(api, *turn, how), stream, id);
}

void Service::log_request(const Request& request, std::uint64_t id, const Report* report, bool is_json) {
  std::string out;
  Writer w(out);
  w.begin_object().key("ev").string("request").key("id").integer(static_cast<std::int64_t>(id));
  w.key("time")
      .string(format_rfc3339(unix_time_ms()))
      .key("t_req")
      .integer(request.head_ns)
      .key("t_body")
      .integer(request.body_ns);
  w.key("conn").integer(static_cast<std::int64_t>(request.connection));
  w.key("method").string(request.method).key("path").string(path_of(request.target)).key("headers");
  write_headers(w, request.headers);
  w.key("bytes").integer(static_cast<std::int64_t>(request.body.size()));
  if (report) {
    w.key("tools").integer(static_cast<std::int64_t>(report->tool_names.size()));
    w.key("assistantTurns").integer(report->assistant_turns).key("sinceUser").integer(report->since_user);
    w.key("problems").begin_array();
    for (const std::string& problem : report->problems) w.string(problem);
    w.end_array();
  }
  if (request.body.size() <= max_body_bytes_ && !request.body.empty()) {
    if (is_json) {
      std::string body = request.body;
      std::replace(body.begin(), body.end(), '\n', ' ');  // JSON holds raw line feeds between tokens only
      w.key("body").raw(body);
    } else {
      w.key("problems")
          .begin_array()
          .string("body: is not valid JSON")
          .end_array()
          .key("body_text")
          .string(request.body);
    }
  }
  w.end_object();
  log_.line(std::move(out));
}

void Service::log_response(std::uint64_t id, const Sent& sent, const std::string& note) {
  std::string out;
  Writer w(out);
  w.begin_object().key("ev").string("response").key("id").integer(static_cast<std::int64_t>(id));
  w.key("status")
      .integer(sent.status)
      .key("t_first")
      .integer(sent.first_ns)
      .key("t_last")
      .integer(sent.last_ns)
      .key("turn")
      .string(note);
  w.key("sent").integer(static_cast<std::int64_t>(sent.bytes)).key("outcome").string(sent.outcome).end_object();
  log_.line(std::move(out));
}

}  // namespace magi::fake
