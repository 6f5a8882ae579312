// Small things that several panels draw and say in the same way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/magi-code/tui/screen/surface.h"
#include "tools/magi-code/tui/text/amounts.h"

namespace magi::code::tui {

// "now", "5 min", "3 h", "2 d", else the day "2026-11-30"; empty where the time is not known.
std::string ago(std::int64_t unix_ms, std::int64_t now_ms);
std::string day(std::int64_t unix_ms);
// "812", "12.3k", "1.2M".
std::string short_count(std::int64_t count);
std::string size_text(std::uint64_t bytes);  // "812 B", "12.3 KiB"
std::string counted(std::size_t count, std::string_view one, std::string_view many);

// The first line that is not blank.
std::string_view first_line(std::string_view text);

// Keys and what they do, on one row, as many as fit: {"Enter", "open"}.
using Hints = std::vector<std::pair<std::string_view, std::string_view>>;
void draw_hints(Surface& surface, Rect area, const Hints& hints);

// A text in the middle of an area: what is loading, empty or wrong.
void draw_message(Surface& surface, Rect area, std::string_view text, Style style);

// Wraps lines into an area; the rows used.
int draw_wrapped(Surface& surface, Rect area, const std::vector<Line>& lines);

}  // namespace magi::code::tui
