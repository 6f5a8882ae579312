// Masking over the field list of a payload: every text that may hold a secret, in place.  Identifiers, digests, image
// bytes and what a provider has signed or encrypted stay as they are, but for secrets that are known by their value:
// changing those would break matching or what is sent back.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "libcommon/base/utf8.h"
#include "libcommon/event/fields.h"
#include "libcommon/event/session_event.h"
#include "libcommon/session/mask.h"

namespace magi::session {

// True for the names of fields that are stored as they are.
bool is_opaque_field(std::string_view name);

// True for an item that a provider has signed or encrypted.
bool is_sealed(std::string_view item);

namespace detail {

struct FieldMasker {
  Masking masking;

  template <class T>
  void required(std::string_view name, T& value) {
    if (!is_opaque_field(name)) return visit(value);
    // A provider checks what it has signed; a key of the user's is not kept for its sake all the same.
    if constexpr (std::is_same_v<T, event::Raw>)
      is_sealed(value.json) ? masking.mask_known(value.json) : masking.mask(value.json);
  }
  template <class T>
  void optional(std::string_view name, T& value) {
    required(name, value);
  }

 private:
  void visit(std::string& text) {
    if (!utf8::is_valid(text)) text = utf8::sanitize(text);
    masking.mask(text);
  }
  void visit(event::Raw& raw) { masking.mask(raw.json); }
  template <class T>
  void visit(std::optional<T>& value) {
    if (value) visit(*value);
  }
  template <class T>
  void visit(std::vector<T>& values) {
    for (T& value : values) visit(value);
  }
  template <class T>
  void visit(T& value) {
    if constexpr (std::is_class_v<T>) T::fields(value, *this);
  }
};

}  // namespace detail

// How many different secrets were masked.  A payload with a `masked_secrets` field says so itself.
template <class Payload>
std::size_t mask_fields(Payload& payload) {
  detail::FieldMasker masker;
  Payload::fields(payload, masker);
  const std::size_t masked = masker.masking.secrets();
  if constexpr (requires { payload.masked_secrets; }) {
    if (masked > 0) payload.masked_secrets = payload.masked_secrets.value_or(0) + static_cast<std::int64_t>(masked);
  }
  return masked;
}

}  // namespace magi::session
