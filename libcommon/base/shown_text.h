// Text on its way to a model: valid, visible, bounded, never cut inside a character.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace magi {

// Output of at most this many characters is shown whole (contracts, section 3).
inline constexpr std::size_t kViewCharacters = 24'000;

// Invalid UTF-8 becomes U+FFFD, and NUL, which breaks parsers on the way, U+2400.
std::string visible(std::string text);

// Nothing when the text has at most kViewCharacters; else its head and tail with the number of characters left out
// between them.  Requires: valid UTF-8.
std::optional<std::string> shortened(std::string_view text);

}  // namespace magi
