#include "libcommon/base/clock.h"

#include <time.h>

#include <chrono>
#include <cstdio>

namespace magi {
namespace {

// Digits [at, at+n) as a number; -1 where one is not a digit.
int digits(std::string_view s, std::size_t at, std::size_t n) {
  if (at + n > s.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + n; ++i) {
    if (s[i] < '0' || s[i] > '9') return -1;
    value = value * 10 + (s[i] - '0');
  }
  return value;
}

// Minutes east of UTC; nothing where `s` is neither Z nor +hh:mm.
std::optional<int> offset_minutes(std::string_view s) {
  if (s == "Z" || s == "z") return 0;
  if (s.size() != 6 || (s[0] != '+' && s[0] != '-') || s[3] != ':') return std::nullopt;
  const int hours = digits(s, 1, 2), minutes = digits(s, 4, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return (s[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

}  // namespace

std::int64_t unix_time_ms() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string format_rfc3339(std::int64_t unix_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> point{milliseconds{unix_ms}};
  const auto day = floor<days>(point);
  const year_month_day date{day};
  const hh_mm_ss time{point - day};
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
  return text;
}

std::optional<std::int64_t> parse_rfc3339(std::string_view s) {
  using namespace std::chrono;
  if (s.size() < 20 || s[4] != '-' || s[7] != '-' || (s[10] != 'T' && s[10] != 't' && s[10] != ' ') || s[13] != ':' ||
      s[16] != ':')
    return std::nullopt;
  const int y = digits(s, 0, 4), mo = digits(s, 5, 2), d = digits(s, 8, 2);
  const int h = digits(s, 11, 2), mi = digits(s, 14, 2), sec = digits(s, 17, 2);
  if (y < 0 || mo < 0 || d < 0 || h < 0 || h > 23 || mi < 0 || mi > 59 || sec < 0 || sec > 60) return std::nullopt;
  const year_month_day date{year{y}, month{static_cast<unsigned>(mo)}, std::chrono::day{static_cast<unsigned>(d)}};
  if (!date.ok()) return std::nullopt;
  std::size_t at = 19;
  std::int64_t milliseconds_part = 0;
  if (s[at] == '.') {
    int scale = 100;
    const std::size_t first = ++at;
    for (; at < s.size() && s[at] >= '0' && s[at] <= '9'; ++at, scale /= 10) milliseconds_part += (s[at] - '0') * scale;
    if (at == first) return std::nullopt;
  }
  const auto offset = offset_minutes(s.substr(at));
  if (!offset) return std::nullopt;
  const std::int64_t seconds =
      std::int64_t{sys_days{date}.time_since_epoch().count()} * 86400 + h * 3600 + mi * 60 + sec;
  return (seconds - std::int64_t{*offset} * 60) * 1000 + milliseconds_part;
}

}  // namespace magi
