#include "libcommon/session/mask.h"

#include <algorithm>
#include <functional>

#include "libcommon/base/known_secrets.h"
#include "libcommon/session/mask_fields.h"

namespace magi::session {
namespace {

constexpr std::string_view kMaskStart = "[masked secret: ";

// Of what tells one secret from another: letters and digits, without the escapes of JSON.
std::size_t hash_of(std::string_view secret) {
  std::string plain;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    if (secret[i] == '\\')
      ++i;
    else if (static_cast<unsigned char>(secret[i]) > ' ')
      plain += secret[i];
  }
  return std::hash<std::string>{}(plain);
}

using Find = std::optional<SecretSpan> (*)(std::string_view, std::size_t);

template <class OnSecret>
void replace_secrets(std::string& text, Find find, OnSecret on_secret) {
  auto found = find(text, 0);
  if (!found) return;
  std::size_t copied = 0;
  std::string masked;
  masked.reserve(text.size());
  for (; found; found = find(text, copied)) {
    on_secret(std::string_view(text).substr(found->begin, found->size));
    masked.append(text, copied, found->begin - copied).append(kMaskStart).append(found->kind).append("]");
    copied = found->begin + found->size;
  }
  masked.append(text, copied);
  text = std::move(masked);
}

}  // namespace

std::size_t mask_secrets(std::string& text) {
  std::size_t count = 0;
  replace_secrets(text, find_secret, [&](std::string_view) { ++count; });
  return count;
}

void Masking::mask(std::string& text) {
  replace_secrets(text, find_secret, [this](std::string_view secret) { note(secret); });
}

void Masking::mask_known(std::string& text) {
  replace_secrets(text, find_known_secret, [this](std::string_view secret) { note(secret); });
}

void Masking::note(std::string_view secret) {
  const std::size_t hash = hash_of(secret);
  if (std::find(seen_.begin(), seen_.end(), hash) == seen_.end()) seen_.push_back(hash);
}

bool holds_mask(std::string_view text) { return text.find(kMaskStart) != std::string_view::npos; }

bool is_opaque_field(std::string_view name) {
  static constexpr std::string_view kOpaque[] = {"status", "origin",   "type",  "media_type", "sha256", "stored_sha256",
                                                 "path",   "provider", "model", "item",       "data"};
  return name.ends_with("_id") || std::find(std::begin(kOpaque), std::end(kOpaque), name) != std::end(kOpaque);
}

}  // namespace magi::session
