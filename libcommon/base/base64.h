// Base64 (RFC 4648, section 4) with padding.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace magi {

std::string base64(std::string_view bytes);

// At most the first `max_bytes` of what `text` stands for; nothing where any of it is no base64.  Padding must be
// there.
std::optional<std::string> base64_decoded(std::string_view text, std::size_t max_bytes);

}  // namespace magi
