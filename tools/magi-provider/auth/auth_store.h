// auth.json: the logins of accounts, one member a provider.
//     {"openai-codex":{"access_token","refresh_token","id_token","account_id","plan","expires_at","last_refresh"}}
// Mode 0600, owned, never followed; replaced whole and durably; members that are not ours stay.  Every change is made
// under the lock of auth_lock() (magi-locks(7)).  No message names a token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/lease.h"
#include "libcommon/session/paths.h"

namespace magi::provider {

struct Login {
  std::string access_token, refresh_token, id_token, account_id, plan;
  std::int64_t expires_at_s = 0;  // of the access token, Unix time; 0: unknown
  std::string last_refresh;       // RFC 3339
};

class AuthStore {
 public:
  explicit AuthStore(session::Home home) : home_(std::move(home)) {}

  // Nothing where nobody is logged in.  kConfig or kUnsafe, with what to do, for a file that cannot be trusted or read.
  Result<std::optional<Login>> read(std::string_view provider) const;

  // One attempt at the lock (`timeout_ms` 0), or bounded waiting.  kBusy when another process has it.
  Result<os::Lease> lock(int timeout_ms) const;
  // Requires: the lock is held.
  Result<void> write(std::string_view provider, const Login& login) const;
  // False: there was none.  Requires: the lock is held.
  Result<bool> remove(std::string_view provider) const;

  // For messages.
  std::string path() const { return home_.auth(); }

 private:
  session::Home home_;
};

// kConfig where a token could not stand in a header, or there is no access token.
Result<void> check_login(const Login& login);

}  // namespace magi::provider
