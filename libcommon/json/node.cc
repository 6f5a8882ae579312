#include "libcommon/json/node.h"

#include <charconv>

namespace magi::json {

std::optional<std::string> Node::as_string() const {
  if (!is(Kind::kString)) return std::nullopt;
  std::string out;
  out.reserve(raw().size());
  append_unescaped(out, raw_string());
  return out;
}

std::optional<std::int64_t> Node::as_int() const {
  if (!is(Kind::kNumber)) return std::nullopt;
  std::int64_t value = 0;
  const std::string_view text = raw();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> Node::as_double() const {
  if (!is(Kind::kNumber)) return std::nullopt;
  double value = 0;
  const std::string_view text = raw();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

std::optional<bool> Node::as_bool() const {
  if (!is(Kind::kBoolean)) return std::nullopt;
  return raw() == "true";
}

Node Node::find(std::string_view key) const {
  Node found;
  for (const Member member : members())
    if (member.is(key)) found = member.value;
  return found;
}

Node::Members Node::members() const {
  if (!is(Kind::kObject)) return {nullptr, 0, 0};
  return {entries_, index_ + 1, entry().next};
}

Node::Elements Node::elements() const {
  if (!is(Kind::kArray)) return {nullptr, 0, 0};
  return {entries_, index_ + 1, entry().next};
}

}  // namespace magi::json
