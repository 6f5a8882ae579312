#include "libcommon/net/retry_after.h"

#include <time.h>

#include <charconv>
#include <cmath>
#include <string>

namespace magi::net {
namespace {

std::optional<double> positive_number(std::string_view text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size() || !std::isfinite(number) || number <= 0)
    return std::nullopt;
  return number;
}

std::optional<std::int64_t> http_date(std::string_view text) {
  tm parts{};
  const std::string copy(text);
  const char* end = strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (!end || *end) return std::nullopt;
  return timegm(&parts);
}

}  // namespace

std::optional<double> server_delay(std::string_view retry_after_ms, std::string_view retry_after, std::string_view date,
                                   std::int64_t now_unix_s) {
  if (const auto ms = positive_number(retry_after_ms)) return *ms / 1000;
  if (const auto seconds = positive_number(retry_after)) return seconds;
  const auto until = http_date(retry_after);
  if (!until) return std::nullopt;
  const std::int64_t wait_s = *until - http_date(date).value_or(now_unix_s);
  return wait_s > 0 ? std::optional(static_cast<double>(wait_s)) : std::nullopt;
}

}  // namespace magi::net
