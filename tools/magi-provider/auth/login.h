// A login in the browser (OAuth with PKCE): an address to open, a loopback port or a pasted line that brings the code
// back, and the exchange of the code for tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/config/environment.h"
#include "tools/magi-provider/auth/auth_store.h"
#include "tools/magi-provider/auth/token_request.h"
#include "tools/magi-provider/transport.h"

namespace magi::provider {

struct LoginOptions {
  std::string_view name;  // of the executable, for messages
  AccountService service;
  std::optional<std::int64_t> port;  // of the callback; nothing: those that the service knows
  std::int64_t timeout_s = 600;
  bool reads_stdin = true;               // a code may be pasted
  std::vector<std::string> browser_env;  // environment for a browser that is opened; empty: none is
  std::string browser;                   // program that opens an address
};

// Waits for the person, at most `timeout_s`.  Errors name no secret.
Result<Login> log_in(const LoginOptions& options, Transport& transport);

// Of a line that a person pasted: the whole address, "code#state", or the bare code.  kUsage where it belongs to
// another login or holds none.
Result<std::string> code_of_paste(std::string_view line, std::string_view state);

// The address at which the person agrees.
std::string authorize_url(const AccountService& service, std::string_view redirect_uri, std::string_view challenge,
                          std::string_view state);

}  // namespace magi::provider
