// Secrets that are told by their shape, or because they are known: what is masked before a text is stored, and refused
// in settings.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace magi {

struct SecretSpan {
  std::size_t begin = 0, size = 0;
  std::string_view kind;  // "GitHub token": lives as long as the process
};

// The first secret at or behind `from`.  By shape: keys and tokens of the services in secret_shapes.cc, PEM and age
// private keys, JSON Web Tokens, passwords in addresses (scheme://user:password@host), AWS and Azure keys behind their
// names.  By value: what base/known_secrets.h was told.  Works on plain text and inside JSON text alike: a span never
// cuts an escape sequence and never holds a quote.  Linear in the text.
std::optional<SecretSpan> find_secret(std::string_view text, std::size_t from = 0);

}  // namespace magi
