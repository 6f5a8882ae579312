#include "libcommon/config/key_path.h"

#include <algorithm>

namespace magi::config {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '$';
}

// The segment that starts at `text`, which is shortened by it; nothing where it is malformed.
bool take_quoted(std::string_view& text, std::string& segment) {
  text.remove_prefix(2);  // ["
  while (!text.empty() && text.front() != '"') {
    if (text.front() == '\\') text.remove_prefix(1);
    if (text.empty()) return false;
    segment += text.front();
    text.remove_prefix(1);
  }
  if (!text.starts_with("\"]")) return false;
  text.remove_prefix(2);
  return true;
}

bool take_segment(std::string_view& text, bool first, std::string& segment) {
  if (text.starts_with("[\"")) return take_quoted(text, segment);
  if (!first) {
    if (text.front() != '.') return false;
    text.remove_prefix(1);
  }
  const auto end = std::find_if_not(text.begin(), text.end(), is_word_character);
  segment.assign(text.begin(), end);
  text.remove_prefix(segment.size());
  return true;
}

}  // namespace

std::string print_key_path(const KeyPath& path) {
  std::string out;
  for (const std::string& segment : path) {
    if (!segment.empty() && std::all_of(segment.begin(), segment.end(), is_word_character)) {
      out += (out.empty() ? "" : ".") + segment;
      continue;
    }
    out += "[\"";
    for (const char c : segment) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += "\"]";
  }
  return out;
}

Result<KeyPath> parse_key_path(std::string_view text) {
  KeyPath path;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string segment;
    if (!take_segment(rest, path.empty(), segment) || segment.empty())
      return make_error(ErrorCode::kUsage, quoted(text), " is not the name of a setting");
    path.push_back(std::move(segment));
  }
  if (path.empty()) return make_error(ErrorCode::kUsage, "the name of a setting is missing");
  return path;
}

}  // namespace magi::config
