// Result<T>: a value or an Error.  Member names are those of std::expected, which C++20 lacks.
#pragma once

#include <utility>
#include <variant>

#include "libcommon/base/error.h"

namespace magi {

template <class T = void>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  // Requires: has_value().
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  // Requires: !has_value().
  Error& error() { return std::get<1>(state_); }
  const Error& error() const { return std::get<1>(state_); }
  T value_or(T fallback) && { return has_value() ? std::move(**this) : std::move(fallback); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : state_(std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  Error& error() { return std::get<1>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<std::monostate, Error> state_;
};

template <class... Parts>
Error make_error(ErrorCode code, const Parts&... parts) {
  std::string what;
  (what.append(parts), ...);
  return Error{code, std::move(what)};
}

}  // namespace magi

// MAGI_TRY(auto x, expression): x is the value, or the enclosing function returns the error.
#define MAGI_TRY(declaration, ...) MAGI_TRY_IMPL_(MAGI_CONCAT_(magi_try_, __LINE__), declaration, __VA_ARGS__)
#define MAGI_TRY_IMPL_(temporary, declaration, ...)    \
  auto temporary = (__VA_ARGS__);                      \
  if (!temporary) return std::move(temporary.error()); \
  declaration = std::move(*temporary)
// MAGI_CHECK(expression): returns the error of a Result<void>.
#define MAGI_CHECK(...)                                                  \
  do {                                                                   \
    auto magi_check_result = (__VA_ARGS__);                              \
    if (!magi_check_result) return std::move(magi_check_result.error()); \
  } while (false)
#define MAGI_CONCAT_(a, b) MAGI_CONCAT2_(a, b)
#define MAGI_CONCAT2_(a, b) a##b
