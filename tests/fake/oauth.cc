#include "tests/fake/oauth.h"

#include <ctime>
#include <fstream>
#include <iterator>

#include "libcommon/json/writer.h"
#include "tests/fake/codec.h"

namespace magi::fake {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string error_json(std::string_view code, std::string_view message) {
  return "{\"error\":{\"code\":" + quote(code) + ",\"message\":" + quote(message) + "}}";
}

std::string text(const json::Node& script, std::string_view key, std::string_view otherwise) {
  return script.find(key).as_string().value_or(std::string(otherwise));
}

// Bearer tokens of the service carry claims; nobody verifies the signature.
std::string web_token(std::string_view claims) {
  return base64url(R"({"alg":"none"})") + "." + base64url(claims) + "." + base64url("signature");
}

}  // namespace

void OAuthService::log(std::string_view event, std::string_view detail, int status) {
  std::string line;
  json::Writer out(line);
  out.begin_object().key("ev").string(event).key("detail").string(detail).key("status").integer(status).end_object();
  log_.line(std::move(line));
}

bool OAuthService::answer(const Request& request, Peer& peer) {
  json::Parser parser;
  const std::string source = read_file(script_file_);
  const auto script = parser.parse(source);
  const json::Node root = script ? *script : json::Node();
  const std::size_t question = std::min(request.target.find('?'), request.target.size());
  const std::string path = request.target.substr(0, question);
  Reply reply{404, error_json("not_found", "not served here"), {}, "application/json"};
  if (request.method == "GET" && path == "/oauth/authorize") {
    const std::lock_guard lock(mutex_);
    reply = authorize(std::string_view(request.target).substr(std::min(question + 1, request.target.size())), root);
  } else if (request.method == "POST" && path == "/oauth/token") {
    if (const auto delay_ms = root.find("delay_ms").as_int())
      if (!peer.pause(static_cast<double>(*delay_ms))) return false;
    const std::lock_guard lock(mutex_);
    reply = token(request.body, root);
  }
  Headers headers;
  if (!reply.location.empty()) headers.emplace_back("location", reply.location);
  send_plain(peer, reply.status, reply.content_type, headers, reply.body);
  return true;
}

OAuthService::Reply OAuthService::authorize(std::string_view query, const json::Node& script) {
  const std::string redirect_uri = form_value(query, "redirect_uri"), state = form_value(query, "state");
  std::string problem;
  if (form_value(query, "response_type") != "code") problem = "response_type";
  if (form_value(query, "code_challenge_method") != "S256") problem = "code_challenge_method";
  if (form_value(query, "code_challenge").size() != 43) problem = "code_challenge";
  if (state.size() < 20) problem = "state";
  if (form_value(query, "client_id") != text(script, "client_id", "app_EMoamEEZ73f0CkXaXp7hrann"))
    problem = "client_id";
  if (redirect_uri.substr(0, 17) != "http://localhost:") problem = "redirect_uri";
  if (form_value(query, "scope").find("offline_access") == std::string::npos) problem = "scope";
  log("authorize", problem.empty() ? "right" : problem, problem.empty() ? 302 : 400);
  if (!problem.empty()) return {400, error_json("invalid_request", problem), {}, "application/json"};
  std::string location = redirect_uri + "?state=" + form_encoded(text(script, "state", state));
  if (script.find("deny").as_bool().value_or(false)) {
    location += "&error=access_denied&error_description=" + form_encoded("the person said no");
  } else {
    const std::string code = "code-" + std::to_string(++codes_given_);
    codes_[code] = {form_value(query, "code_challenge"), redirect_uri, form_value(query, "client_id")};
    location += "&code=" + code;
  }
  return {302, {}, location, "text/html"};
}

OAuthService::Reply OAuthService::token(std::string_view form, const json::Node& script) {
  const std::string grant = form_value(form, "grant_type");
  const json::Node fault = script.find("fault");
  Reply reply;
  if (fault && (!fault.find("grant") || fault.find("grant").as_string() == grant))
    reply = {static_cast<int>(fault.find("status").as_int().value_or(500)),
             text(fault, "body", "{}"),
             {},
             text(fault, "content_type", "application/json")};
  else if (grant == "authorization_code")
    reply = take_code(form, script);
  else if (grant == "refresh_token")
    reply = take_refresh(form, script);
  else
    reply = {400, error_json("unsupported_grant_type", grant), {}, "application/json"};
  log(grant, "serial " + std::to_string(serial_), reply.status);
  return reply;
}

OAuthService::Reply OAuthService::take_code(std::string_view form, const json::Node& script) {
  const auto known = codes_.find(form_value(form, "code"));
  if (known == codes_.end()) return {400, error_json("invalid_grant", "no such code"), {}, "application/json"};
  const Grant grant = known->second;
  codes_.erase(known);
  const bool right = base64url(sha256_bytes(form_value(form, "code_verifier"))) == grant.challenge &&
                     form_value(form, "redirect_uri") == grant.redirect_uri &&
                     form_value(form, "client_id") == grant.client_id;
  if (!right) return {400, error_json("invalid_grant", "the verifier does not fit"), {}, "application/json"};
  return {200, tokens(script), {}, "application/json"};
}

// A refresh token is good once; the test's own auth.json may begin with any.
OAuthService::Reply OAuthService::take_refresh(std::string_view form, const json::Node& script) {
  const std::string given = form_value(form, "refresh_token");
  if (given.empty() || (!refresh_token_.empty() && given != refresh_token_))
    return {401, error_json("refresh_token_reused", "the token " + given + " was used before"), {}, "application/json"};
  return {200, tokens(script), {}, "application/json"};
}

std::string OAuthService::tokens(const json::Node& script) {
  const std::string serial = std::to_string(++serial_);
  const std::int64_t life_s = script.find("expires_in").as_int().value_or(3600);
  std::string claims;
  json::Writer writer(claims);
  writer.begin_object().key("jti").string(serial).key("exp").integer(std::time(nullptr) + life_s);
  writer.key("https://api.openai.com/auth").begin_object();
  writer.key("chatgpt_account_id").string(text(script, "account", "acct-1"));
  writer.key("chatgpt_plan_type").string(text(script, "plan", "plus")).end_object().end_object();
  refresh_token_ = "refresh-" + serial;
  std::string answer;
  json::Writer out(answer);
  out.begin_object().key("id_token").string(web_token(claims)).key("access_token").string(web_token(claims));
  out.key("refresh_token").string(refresh_token_).key("expires_in").integer(life_s).end_object();
  return answer;
}

}  // namespace magi::fake
