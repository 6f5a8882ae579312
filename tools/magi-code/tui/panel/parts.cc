#include "tools/magi-code/tui/panel/parts.h"

#include <algorithm>

#include "libcommon/base/clock.h"
#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/text/wrap.h"

namespace magi::code::tui {
namespace {

constexpr std::int64_t kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;

// One decimal, none where it is 0 or the number is long: "2.5", "12", "120".
std::string decimal(std::int64_t tenths) {
  const std::string whole = std::to_string(tenths / 10);
  return tenths % 10 == 0 || tenths >= 1000 ? whole : whole + '.' + static_cast<char>('0' + tenths % 10);
}

}  // namespace

std::string day(std::int64_t unix_ms) { return unix_ms == 0 ? "" : format_rfc3339(unix_ms).substr(0, 10); }

std::string ago(std::int64_t unix_ms, std::int64_t now_ms) {
  if (unix_ms == 0) return {};
  const std::int64_t age = now_ms - unix_ms;
  if (age < -kMinute || age >= 30 * kDay) return day(unix_ms);
  if (age < kMinute) return "now";
  if (age < kHour) return std::to_string(age / kMinute) + " min";
  if (age < kDay) return std::to_string(age / kHour) + " h";
  return std::to_string(age / kDay) + " d";
}

std::string short_count(std::int64_t count) {
  if (count < 1000) return std::to_string(count);
  if (count < 1'000'000) return decimal(count / 100) + "k";
  return decimal(count / 100'000) + "M";
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKibi = 1024, kMebi = kKibi * kKibi;
  const auto tenths = [](std::uint64_t amount, std::uint64_t unit) {
    return decimal(static_cast<std::int64_t>(amount / unit * 10 + amount % unit * 10 / unit));
  };
  if (bytes < kKibi) return std::to_string(bytes) + " B";
  return bytes < kMebi ? tenths(bytes, kKibi) + " KiB" : tenths(bytes, kMebi) + " MiB";
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return grouped(static_cast<std::int64_t>(count)).append(" ").append(count == 1 ? one : many);
}

std::string_view first_line(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find('\n', begin) - begin);
}

void draw_hints(Surface& surface, Rect area, const Hints& hints) {
  if (area.rows < 1) return;
  const int end = area.column + area.columns;
  int column = area.column;
  for (const auto& [key, meaning] : hints) {
    const int gap = column == area.column ? 0 : 2;
    if (column + gap + columns_of(key) + 1 + columns_of(meaning) > end) break;
    column = surface.put(area, area.row, column + gap, key, {Role::kAccent});
    column = surface.put(area, area.row, column + 1, meaning, {Role::kMuted});
  }
}

void draw_message(Surface& surface, Rect area, std::string_view text, Style style) {
  if (area.rows < 1 || area.columns < 1) return;
  std::vector<Line> lines;
  for (const std::string& line : visible_lines(text))
    for (Line& row : wrap(Line(line, style), area.columns)) lines.push_back(std::move(row));
  const int rows = std::min(area.rows, static_cast<int>(lines.size()));
  int row = area.row + (area.rows - rows) / 3;
  for (int i = 0; i < rows; ++i, ++row) {
    const Line& line = lines[static_cast<std::size_t>(i)];
    surface.put(area, row, area.column + std::max(0, (area.columns - columns_of(line)) / 2), line);
  }
}

int draw_wrapped(Surface& surface, Rect area, const std::vector<Line>& lines) {
  int row = 0;
  for (const Line& line : lines) {
    if (row >= area.rows || area.columns < 1) break;
    for (const Line& part : wrap(line, area.columns)) {
      if (row >= area.rows) break;
      surface.put(area, area.row + row++, area.column, part);
    }
  }
  return row;
}

}  // namespace magi::code::tui
