// Masking over the field list of a payload: every text that may hold a secret, in place.  Identifiers, digests, image
// bytes and a provider's opaque items stay as they are: changing those would break matching or what is sent back.
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

namespace detail {

struct FieldMasker {
  std::size_t masked = 0;

  template <class T>
  void required(std::string_view name, T& value) {
    if (!is_opaque_field(name)) visit(value);
  }
  template <class T>
  void optional(std::string_view name, T& value) {
    required(name, value);
  }

 private:
  void visit(std::string& text) {
    if (!utf8::is_valid(text)) text = utf8::sanitize(text);
    masked += mask_secrets(text);
  }
  void visit(event::Raw& raw) { masked += mask_secrets(raw.json); }
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

// How many secrets were masked.  A payload with a `masked_secrets` field says so itself.
template <class Payload>
std::size_t mask_fields(Payload& payload) {
  detail::FieldMasker masker;
  Payload::fields(payload, masker);
  if constexpr (requires { payload.masked_secrets; }) {
    if (masker.masked > 0)
      payload.masked_secrets = payload.masked_secrets.value_or(0) + static_cast<std::int64_t>(masker.masked);
  }
  return masker.masked;
}

}  // namespace magi::session
