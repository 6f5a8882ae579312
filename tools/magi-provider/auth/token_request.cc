#include "tools/magi-provider/auth/token_request.h"

#include <algorithm>
#include <array>

#include "libcommon/base/clock.h"
#include "libcommon/json/node.h"
#include "tools/magi-provider/auth/encoding.h"
#include "tools/magi-provider/auth/token_claims.h"

namespace magi::provider {
namespace {

constexpr std::size_t kMaxAnswerBytes = 1u << 20;
constexpr std::int64_t kLongestLifeS = 366 * 86'400;

void add(std::string& form, std::string_view name, std::string_view value) {
  if (!form.empty()) form += '&';
  form.append(name).append("=").append(percent_encoded(value));
}

void take(std::string& target, const json::Node& value) {
  if (auto text = value.as_string(); text && !text->empty()) target = *std::move(text);
}

}  // namespace

TokenRequest::TokenRequest(const AccountService& service, std::string form) : url_(service.issuer + "/oauth/token") {
  body_.out() = std::move(form);
}

TokenRequest TokenRequest::for_code(const AccountService& service, const CodeGrant& grant) {
  std::string form;
  add(form, "grant_type", "authorization_code");
  add(form, "code", grant.code);
  add(form, "redirect_uri", grant.redirect_uri);
  add(form, "client_id", service.client_id);
  add(form, "code_verifier", grant.verifier);
  return TokenRequest(service, std::move(form));
}

TokenRequest TokenRequest::for_refresh(const AccountService& service, std::string_view refresh_token) {
  std::string form;
  add(form, "grant_type", "refresh_token");
  add(form, "refresh_token", refresh_token);
  add(form, "client_id", service.client_id);
  return TokenRequest(service, std::move(form));
}

HttpRequest TokenRequest::http() const {
  HttpRequest request;
  request.url = url_;
  request.headers = {"Content-Type: application/x-www-form-urlencoded", "Accept: application/json"};
  request.body = &body_;
  return request;
}

void TokenRequest::on_bytes(std::string_view bytes) {
  answer_.append(bytes.substr(0, kMaxAnswerBytes - std::min(kMaxAnswerBytes, answer_.size())));
}

TokenRefusal TokenRequest::refusal() const {
  constexpr std::array<std::string_view, 5> kFinal{"refresh_token_expired", "refresh_token_reused",
                                                   "refresh_token_invalidated", "invalid_grant", "invalid_client"};
  const Failure failure = classify_status(head_.status, read_error_body(answer_));
  TokenRefusal refusal;
  refusal.message = redacted(one_line(failure.message), {});
  refusal.kind = failure.kind;
  const bool named = std::any_of(kFinal.begin(), kFinal.end(), [&](std::string_view code) {
    return answer_.find('"' + std::string(code) + '"') != std::string::npos;
  });
  refusal.permanent = head_.status == 401 || head_.status == 403 || named;
  if (refusal.permanent) refusal.kind = FailureKind::kAuth;
  return refusal;
}

std::optional<TokenRefusal> TokenRequest::finish(const std::optional<Failure>& failure, Login& login) {
  if (failure) return TokenRefusal{failure->message, false, sent_, sent_ ? FailureKind::kAuth : failure->kind};
  if (head_.status != 200) return refusal();
  json::Parser parser;
  const auto root = parser.parse(answer_);
  Login fresh = login;
  if (root) {
    take(fresh.access_token, root->find("access_token"));
    take(fresh.refresh_token, root->find("refresh_token"));
    take(fresh.id_token, root->find("id_token"));
  }
  if (!root || !root->find("access_token").is(json::Kind::kString) || !check_login(fresh))
    return TokenRefusal{"the account service answered with no tokens", false, true, FailureKind::kAuth};
  const TokenClaims access = read_claims(fresh.access_token), identity = read_claims(fresh.id_token);
  for (const TokenClaims& claims : {identity, access}) {
    if (!claims.account_id.empty()) fresh.account_id = claims.account_id;
    if (!claims.plan.empty()) fresh.plan = claims.plan;
  }
  const std::int64_t now_s = unix_time_ms() / 1000;
  const auto life_s = root->find("expires_in").as_int();
  fresh.expires_at_s = life_s && *life_s > 0 ? now_s + std::min(*life_s, kLongestLifeS) : access.expires_at_s;
  fresh.last_refresh = format_rfc3339(unix_time_ms());
  login = std::move(fresh);
  return std::nullopt;
}

}  // namespace magi::provider
