// Secrets of known shapes are replaced before a text is stored (magi-session(5)).  The result is what
// the conversation, later requests, hashes and archives use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace magi::session {

// Replaces each secret that base/secret_shapes.h knows by "[masked secret: KIND]" and returns how many there were.
// JSON text stays valid.
std::size_t mask_secrets(std::string& text);

// True when the text holds a mask: an edit that would write one back must be refused.
bool holds_mask(std::string_view text);

}  // namespace magi::session
