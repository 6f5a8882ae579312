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

bool mask_cut_end(std::string& text) {
  constexpr std::string_view kUnfinished = "[masked secret: cut off]";
  constexpr std::size_t kLongestTail = 4096;
  if (text.ends_with(']')) {
    // A whole one that reaches to the end has been masked already; it may have been cut all the same.
    const std::size_t mask = text.rfind(kMaskStart);
    return mask != std::string::npos && text.find(']', mask) == text.size() - 1;
  }
  const std::size_t from = text.size() - std::min(text.size(), kLongestTail);
  std::size_t begin = text.size();
  if (const auto known = known_secret_begun(text)) begin = *known;
  // What would be a secret if it went on: by as many characters as it takes, for those of a fixed length.
  const auto go_on = [&](const std::string& ending) {
    const std::string longer = text.substr(from) + ending;
    for (auto found = find_secret(longer); found; found = find_secret(longer, found->begin + found->size))
      if (from + found->begin + found->size >= text.size()) begin = std::min(begin, from + found->begin);
  };
  constexpr std::size_t kLongestFixed = 16, kLongestBody = 96;
  for (std::size_t size = 0; size <= kLongestFixed; ++size) go_on(std::string(size, 'A'));
  go_on(std::string(kLongestBody, 'A'));
  if (begin == text.size()) return false;
  text.replace(begin, std::string::npos, kUnfinished);
  return true;
}

void mask_cut_start(std::string& text) {
  const auto in_key = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || c == '/' || c == '+' || c == '=';
  };
  std::size_t size = 0;
  while (size < text.size() && in_key(text[size])) ++size;
  if (size > 0) text.replace(0, size, "[masked secret: rest of one]");
}

bool holds_mask(std::string_view text) { return text.find(kMaskStart) != std::string_view::npos; }

bool is_opaque_field(std::string_view name) {
  static constexpr std::string_view kOpaque[] = {"status", "origin",   "type",  "media_type", "sha256", "stored_sha256",
                                                 "path",   "provider", "model", "item",       "data"};
  return name.ends_with("_id") || std::find(std::begin(kOpaque), std::end(kOpaque), name) != std::end(kOpaque);
}

bool is_sealed(std::string_view item) {
  return item.find("\"signature\"") != std::string_view::npos ||
         item.find("\"encrypted_content\"") != std::string_view::npos;
}

}  // namespace magi::session
