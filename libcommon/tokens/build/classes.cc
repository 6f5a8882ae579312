#include "libcommon/tokens/build/classes.h"

#include <algorithm>
#include <charconv>

#include "libcommon/tokens/o200k/layout.h"

namespace magi::o200k::build {
namespace {

std::uint8_t class_of(char letter) {
  switch (letter) {
    case 'U': return kUpper;
    case 'L': return kLower;
    case 'B': return kBoth;
    case 'M': return kMark;
    case 'N': return kNumber;
    case 'R': return kNewline;
    case 'W': return kSpace;
    default: return 0;
  }
}

bool parse_hex(std::string_view text, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<std::vector<std::uint8_t>> parse_classes(std::string_view text) {
  std::vector<std::uint8_t> classes(0x110000, kOther);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line[0] == '#') continue;
    const std::size_t first_tab = line.find('\t'), second_tab = line.rfind('\t');
    std::uint32_t first = 0, last = 0;
    const bool is_range = first_tab < second_tab && second_tab + 2 == line.size() &&
                          parse_hex(line.substr(0, first_tab), first) &&
                          parse_hex(line.substr(first_tab + 1, second_tab - first_tab - 1), last);
    const std::uint8_t kind = is_range ? class_of(line.back()) : 0;
    if (!kind || first > last || last > 0x10FFFF)
      return make_error(ErrorCode::kBadRecord, "classes: no range: ", quoted(line));
    std::fill(classes.begin() + first, classes.begin() + last + 1, kind);
  }
  return classes;
}

}  // namespace magi::o200k::build
