// Time as values, so that a test can own it.  Only this module asks the system for the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace magi {

// Wall clock, milliseconds since 1970-01-01 UTC.
std::int64_t unix_time_ms();
// CLOCK_MONOTONIC in nanoseconds.
std::int64_t monotonic_ns();

// "2026-11-30T10:00:01.000Z": RFC 3339, UTC, milliseconds.
std::string format_rfc3339(std::int64_t unix_ms);
// Any fraction and offset; nothing where the text is not RFC 3339 or the date does not exist.
std::optional<std::int64_t> parse_rfc3339(std::string_view text);

}  // namespace magi
