#include "libcommon/session/mask.h"

#include <algorithm>

#include "libcommon/base/secret_shapes.h"
#include "libcommon/session/mask_fields.h"

namespace magi::session {
namespace {

constexpr std::string_view kMaskStart = "[masked secret: ";

}  // namespace

std::size_t mask_secrets(std::string& text) {
  auto found = find_secret(text);
  if (!found) return 0;
  std::size_t count = 0, copied = 0;
  std::string masked;
  masked.reserve(text.size());
  for (; found; found = find_secret(text, copied)) {
    masked.append(text, copied, found->begin - copied).append(kMaskStart).append(found->kind).append("]");
    copied = found->begin + found->size;
    ++count;
  }
  masked.append(text, copied);
  text = std::move(masked);
  return count;
}

bool holds_mask(std::string_view text) { return text.find(kMaskStart) != std::string_view::npos; }

bool is_opaque_field(std::string_view name) {
  static constexpr std::string_view kOpaque[] = {"status", "origin",   "type",  "media_type", "sha256", "stored_sha256",
                                                 "path",   "provider", "model", "item",       "data"};
  return name.ends_with("_id") || std::find(std::begin(kOpaque), std::end(kOpaque), name) != std::end(kOpaque);
}

}  // namespace magi::session
