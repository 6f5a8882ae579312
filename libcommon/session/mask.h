// Secrets of known shapes are replaced before a text is stored (contracts.md, sections 4 and 6).  The result is what
// the conversation, later requests, hashes and archives use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace magi::session {

// Replaces each secret by "[masked secret: KIND]" and returns how many there were.  Known shapes: keys of Anthropic,
// OpenAI, GitHub, AWS, Google, Slack, Stripe and GitLab, PEM private keys (also inside JSON text, their line ends
// escaped), JSON Web Tokens.  Linear time; text without any is scanned at memory speed.
std::size_t mask_secrets(std::string& text);

// True when the text holds a mask: an edit that would write one back must be refused.
bool holds_mask(std::string_view text);

}  // namespace magi::session
