#include "libcommon/base/known_secrets.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "libcommon/base/base64.h"

namespace magi {
namespace detail {
namespace {

constexpr std::size_t kAnchors = 256;
// Fewer characters of an encoding would be found by chance.
constexpr std::size_t kLeastForm = 10;
constexpr std::string_view kKind = "known key";

std::atomic<const KnownSecrets*> current{nullptr};

std::size_t anchor_hash(const char* at) {
  const auto byte = [&](int i) { return static_cast<std::size_t>(static_cast<unsigned char>(at[i])); };
  return (byte(0) * 31 + byte(1) * 7 + byte(2)) % kAnchors;
}

bool is_usable(std::string_view value) {
  return value.size() >= kLeastKnownSecret && std::all_of(value.begin(), value.end(), [](char c) {
           return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\'' && c != '\\' && c != 0x7F;
         });
}

std::string hexadecimal(std::string_view value) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : value) {
    out += kHex[static_cast<unsigned char>(c) >> 4];
    out += kHex[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::string percent_encoded(std::string_view value) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : value) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    }
  }
  return out;
}

// The characters that depend on `value` alone where `before` bytes stand before it.
std::string base64_inside(std::string_view value, std::size_t before) {
  const std::string all = base64(std::string(before, '\0').append(value));
  const std::size_t first = (before * 8 + 5) / 6, last = (before + value.size()) * 8 / 6;
  return all.substr(first, last - first);
}

// How much of the text is `form`, line breaks (also written as \n) left out; 0 where it is something else.
std::size_t wrapped_length(std::string_view text, std::string_view form) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    while (i > 0 && at < text.size() && (text[at] == '\n' || text[at] == '\r')) ++at;
    if (i > 0 && text.substr(at).starts_with("\\n")) at += 2;
    if (at >= text.size() || text[at] != form[i]) return 0;
    ++at;
  }
  return at;
}

}  // namespace

KnownSecrets::KnownSecrets(const std::vector<std::string>& values, const PairFilter& shapes)
    : filter_(shapes), by_anchor_(kAnchors) {
  for (const std::string& value : values) {
    if (!is_usable(value)) continue;
    add(value, false);
    add(percent_encoded(value), false);
    std::string hex = hexadecimal(value);
    add(hex, true);
    std::transform(hex.begin(), hex.end(), hex.begin(),
                   [](char c) { return static_cast<char>(c >= 'a' && c <= 'f' ? c - ('a' - 'A') : c); });
    add(std::move(hex), true);
    for (std::size_t before = 0; before < 3; ++before) {
      std::string form = base64_inside(value, before);
      add(form, true);
      std::replace(form.begin(), form.end(), '+', '-');
      std::replace(form.begin(), form.end(), '/', '_');
      add(std::move(form), true);
    }
  }
}

void KnownSecrets::add(std::string form, bool may_wrap) {
  if (form.size() < (may_wrap ? kLeastForm : kLeastKnownSecret)) return;
  const std::size_t anchor = filter_.add(form);
  std::vector<std::size_t>& same_anchor = by_anchor_[anchor_hash(form.data() + anchor)];
  for (const std::size_t i : same_anchor)
    if (forms_[i].text == form) return;
  same_anchor.push_back(forms_.size());
  forms_.push_back({std::move(form), anchor, may_wrap});
}

std::size_t KnownSecrets::size_at(const Form& form, std::string_view text, std::size_t begin) {
  const std::string_view rest = text.substr(begin);
  if (form.may_wrap) return wrapped_length(rest, form.text);
  return rest.starts_with(form.text) ? form.text.size() : 0;
}

std::optional<SecretSpan> KnownSecrets::match(std::string_view text, std::size_t at) const {
  SecretSpan longest;
  for (const std::size_t i : by_anchor_[anchor_hash(text.data() + at)]) {
    const Form& form = forms_[i];
    if (at < form.anchor) continue;
    const std::size_t size = size_at(form, text, at - form.anchor);
    if (size > longest.size) longest = {at - form.anchor, size, kKind};
  }
  if (longest.size == 0) return std::nullopt;
  return longest;
}

std::optional<SecretSpan> KnownSecrets::match_beginning(std::string_view text, std::size_t begin) const {
  SecretSpan longest;
  for (const Form& form : forms_)
    if (const std::size_t size = size_at(form, text, begin); size > longest.size) longest = {begin, size, kKind};
  if (longest.size == 0) return std::nullopt;
  return longest;
}

std::optional<std::size_t> KnownSecrets::begun(std::string_view text) const {
  constexpr std::size_t kLeast = 6;
  std::size_t longest = 0;
  for (const Form& form : forms_) {
    const std::string_view whole = form.text;
    for (std::size_t size = std::min(whole.size() - 1, text.size()); size >= kLeast && size > longest; --size)
      if (text.ends_with(whole.substr(0, size))) longest = size;
  }
  if (longest == 0) return std::nullopt;
  return text.size() - longest;
}

const KnownSecrets* known_secrets() { return current.load(std::memory_order_acquire); }

}  // namespace detail

void set_known_secrets(const std::vector<std::string>& values) {
  // Readers hold no lock: what was known before stays where it is.
  static std::mutex mutex;
  static std::vector<std::unique_ptr<const detail::KnownSecrets>> kept;
  const std::lock_guard lock(mutex);
  kept.push_back(std::make_unique<const detail::KnownSecrets>(values, detail::shape_filter()));
  detail::current.store(kept.back().get(), std::memory_order_release);
}

std::optional<SecretSpan> find_known_secret(std::string_view text, std::size_t from) {
  const detail::KnownSecrets* const known = detail::known_secrets();
  if (!known) return std::nullopt;
  const PairFilter& filter = known->filter();
  for (std::size_t at = filter.skip(text, from); at + 2 <= text.size(); at = filter.skip(text, at + 2))
    for (std::size_t anchor = at > from ? at - 1 : at; anchor <= at; ++anchor)
      if (filter.has_anchor(text, anchor))
        if (const auto found = known->match(text, anchor); found && found->begin >= from) return found;
  return std::nullopt;
}

std::optional<std::size_t> known_secret_begun(std::string_view text) {
  const detail::KnownSecrets* const known = detail::known_secrets();
  return known ? known->begun(text) : std::nullopt;
}

}  // namespace magi
