// What a rule found.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace magi::assess {

// Hits of one category count once in a neighbourhood.
enum class Category : std::uint8_t {
  kOverride,
  kRole,
  kMarker,
  kAddressed,
  kExfiltration,
  kSecrecy,
  kReveal,
  kApproval,
  kImitation,
  kHidden,
  kEncoded,
  kImperative,
  kAuthority,
  kDanger,
};
inline constexpr std::size_t kCategories = 14;

struct Hit {
  std::string_view rule;  // static storage
  Category category;
  double weight;
  std::uint32_t begin, end;  // source bytes
  bool discounted = false;   // quoted or discussed rather than said
};

using Hits = std::vector<Hit>;

}  // namespace magi::assess
