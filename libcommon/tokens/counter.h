// How many tokens a text is to a model.  Callers ask for the counter of a provider and model and do not care which it
// is; what it is, every report says (requirement K2).
#pragma once

#include <cstdint>
#include <string_view>

namespace magi::tokens {

// Immutable, shared by all threads, lives as long as the program.
class Counter {
 public:
  virtual ~Counter() = default;
  // As reports name it: "o200k_base" or "characters".
  virtual std::string_view method() const = 0;
  // False: the counts are estimates and must be shown as such (K3).
  virtual bool is_exact() const = 0;
  // Requires: valid UTF-8.
  virtual std::uint64_t count(std::string_view text) const = 0;
  // The same for a text that stands escaped between the quotes of a JSON string.
  virtual std::uint64_t count_raw(std::string_view raw_string) const;
};

// The counter of a model; the estimate where the table of exact ones has no row for it.  An empty provider is any.
const Counter& counter_for(std::string_view provider, std::string_view model);

// The counter for texts that belong to no model: o200k_base.
const Counter& default_counter();

}  // namespace magi::tokens
