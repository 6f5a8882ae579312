// Encodings of OAuth, and the random bytes and digests that go into them.  Pure but for the random bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/digest/sha256.h"

namespace magi::provider {

// RFC 4648, section 5, without padding.
std::string base64url(std::string_view bytes);
// Takes either alphabet, with padding or without.  Nothing where the text is neither.
std::optional<std::string> from_base64(std::string_view text);

// For a query or a form: all but unreserved characters as %XX.
std::string percent_encoded(std::string_view text);
// "+" is a blank, as forms have it; what is no escape stays as it is.
std::string percent_decoded(std::string_view text);
// The value of `name` in "a=1&b=2", decoded; nothing where it is absent.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

Result<std::string> random_bytes(std::size_t count);

// The 32 bytes of the digest.
std::string sha256_bytes(std::string_view bytes);

// HMAC with SHA-256 (RFC 2104).  Copyable: a copy goes on from the bytes so far.
class Hmac {
 public:
  explicit Hmac(std::string_view key);
  void update(std::string_view bytes) { inner_.update(bytes); }
  std::string hex() const;

 private:
  Sha256 inner_, outer_;
};

}  // namespace magi::provider
