#include "libcommon/event/checkpoint.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "libcommon/base/utf8.h"

namespace magi::event {
namespace {

bool is_white_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_blank(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Decoded d = utf8::decode(text, at);
    if (!is_white_space(d.code_point)) return false;
    at += d.length;
  }
  return true;
}

// Relative, and inside the folder that it is relative to.
bool is_inner_path(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find('\0') != std::string_view::npos) return false;
  while (!path.empty()) {
    const std::string_view component = path.substr(0, path.find('/'));
    if (component == "..") return false;
    path.remove_prefix(std::min(path.size(), component.size() + 1));
  }
  return true;
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

bool is_archive(const json::Node& archive) {
  const auto text = [&](std::string_view key) { return archive.find(key).as_string().value_or(""); };
  return is_inner_path(text("path")) && is_sha256(text("sha256")) && archive.find("bytes").as_int().value_or(-1) >= 0;
}

}  // namespace

Result<std::int64_t> checkpoint_generation(const json::Node& payload, std::optional<std::int64_t> newest) {
  const auto bad = [](std::string_view why) { return make_error(ErrorCode::kBadRecord, why); };
  const json::Node summary = payload.find("summary");
  if (!summary.is(json::Kind::kString)) return bad("it has no summary");
  if (is_blank(*summary.as_string())) return bad("its summary is blank");
  const auto number = payload.find("generation").as_int();
  if (!number || *number < 0) return bad("its generation is not a whole number");
  if (newest && *number <= *newest) return bad("its generation is not above that of the one before it");
  if (!is_archive(payload.find("archive"))) return bad("its archive is not well formed");
  return *number;
}

}  // namespace magi::event
