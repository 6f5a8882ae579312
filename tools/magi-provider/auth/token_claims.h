// What a token of the account service says about itself.  The token is not verified: it came from the service over a
// verified connection, or from auth.json, and nothing but display and an account header depends on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace magi::provider {

struct TokenClaims {
  std::string account_id, plan;   // empty: not said
  std::int64_t expires_at_s = 0;  // Unix time; 0: not said
};

// Of a JSON Web Token; nothing said where it is none.
TokenClaims read_claims(std::string_view token);

}  // namespace magi::provider
