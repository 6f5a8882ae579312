// Encodings that the fake servers check clients by; OpenSSL's, so that they are not the clients' own.
#pragma once

#include <string>
#include <string_view>

namespace magi::fake {

std::string base64(std::string_view bytes);
// RFC 4648, section 5, without padding.
std::string base64url(std::string_view bytes);
// The 32 bytes of the digest.
std::string sha256_bytes(std::string_view bytes);
// Of a form or a query: the value of `name`, decoded; empty where it is absent.
std::string form_value(std::string_view form, std::string_view name);
// All but letters and digits as %XX.
std::string form_encoded(std::string_view text);

}  // namespace magi::fake
