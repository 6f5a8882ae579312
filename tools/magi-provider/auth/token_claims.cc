#include "tools/magi-provider/auth/token_claims.h"

#include "libcommon/json/node.h"
#include "tools/magi-provider/auth/encoding.h"

namespace magi::provider {
namespace {

constexpr std::size_t kMaxTokenBytes = 64 * 1024;
// Both stand in headers or are shown to people.
constexpr std::size_t kMaxClaimBytes = 128;

std::string short_word(const json::Node& value) {
  const std::string text = value.as_string().value_or("");
  const bool plain =
      text.size() <= kMaxClaimBytes &&
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == std::string::npos;
  return plain ? text : std::string();
}

}  // namespace

TokenClaims read_claims(std::string_view token) {
  TokenClaims claims;
  const std::size_t first = token.find('.');
  if (token.size() > kMaxTokenBytes || first == std::string_view::npos) return claims;
  const std::size_t second = token.find('.', first + 1);
  const auto payload = from_base64(token.substr(first + 1, second - first - 1));
  if (!payload) return claims;
  json::Parser parser;
  const auto root = parser.parse(*payload);
  if (!root) return claims;
  const json::Node account = root->find("https://api.openai.com/auth");
  claims.account_id = short_word(account.find("chatgpt_account_id"));
  claims.plan = short_word(account.find("chatgpt_plan_type"));
  if (const auto expiry = root->find("exp").as_int(); expiry && *expiry > 0) claims.expires_at_s = *expiry;
  return claims;
}

}  // namespace magi::provider
