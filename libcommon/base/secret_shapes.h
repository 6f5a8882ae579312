// Secrets that can be told by their shape alone: what is masked before a text is stored, and refused in settings.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace magi {

struct SecretSpan {
  std::size_t begin = 0, size = 0;
  std::string_view kind;  // "GitHub token": static storage
};

// The first secret at or behind `from`.  Known: keys and tokens of Anthropic, OpenAI, OpenRouter, GitHub, GitLab, AWS,
// Google, Slack, Stripe, npm and Hugging Face, PEM private keys, JSON Web Tokens.  Works on plain text and inside JSON
// text alike: a span never cuts an escape sequence and never holds a quote.  Linear in the text.
std::optional<SecretSpan> find_secret(std::string_view text, std::size_t from = 0);

}  // namespace magi
