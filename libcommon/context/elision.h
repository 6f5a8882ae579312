// Requirement R4: what a provider sees of a long historical tool output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace magi::context {

// In code points: an output longer than the limit keeps this many at each end.
inline constexpr std::size_t kLongOutputCharacters = 24'000;
inline constexpr std::size_t kKeptCharacters = 6'000;

// `raw` is the text of a JSON string between its quotes.  Where it is too long, appends the shortened raw text to `out`
// and returns how many characters it leaves out; else appends nothing.
std::optional<std::int64_t> elide(std::string& out, std::string_view raw);

}  // namespace magi::context
