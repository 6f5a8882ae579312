// How long a server asks to wait before the next attempt.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace magi::net {

// Seconds.  `retry_after` is seconds or an HTTP date, measured against `date` (the server's own clock) where that can
// be read, else against `now_unix_s`.  Values that are not above zero say nothing.
std::optional<double> server_delay(std::string_view retry_after_ms, std::string_view retry_after, std::string_view date,
                                   std::int64_t now_unix_s);

}  // namespace magi::net
