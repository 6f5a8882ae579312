// Secrets that this process knows by their value: keys of providers in its environment, logins of auth.json.
// find_secret() finds them in any text, as they are and in the forms that programs print them in: base64 (wrapped or
// not, at any alignment, also for URLs), hexadecimal, percent encoding.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/pair_filter.h"
#include "libcommon/base/secret_shapes.h"

namespace magi {

// Shorter ones would be found in what is no secret.
inline constexpr std::size_t kLeastKnownSecret = 8;

// Replaces what was known.  Values that are shorter than kLeastKnownSecret, or hold quotes, backslashes or control
// characters, are left out.  Nothing is ever forgotten while a reader may look at it: a few calls in a process's life
// are fine, thousands are not.  May be called while other threads search.
void set_known_secrets(const std::vector<std::string>& values);

// As find_secret(), by value alone.
std::optional<SecretSpan> find_known_secret(std::string_view text, std::size_t from = 0);

// Where the text ends with the beginning of one, of at least six characters: the offset of that.
std::optional<std::size_t> known_secret_begun(std::string_view text);

namespace detail {

class KnownSecrets {
 public:
  KnownSecrets(const std::vector<std::string>& values, const PairFilter& shapes);
  const PairFilter& filter() const { return filter_; }
  // The secret whose anchor stands at `at`.
  std::optional<SecretSpan> match(std::string_view text, std::size_t at) const;
  std::optional<std::size_t> begun(std::string_view text) const;
  // The longest that begins at `begin`.
  std::optional<SecretSpan> match_beginning(std::string_view text, std::size_t begin) const;

 private:
  struct Form {
    std::string text;
    std::size_t anchor;
    bool may_wrap;  // line breaks between its characters count for nothing
  };
  void add(std::string form, bool may_wrap);
  // Bytes of the text at `begin` that are the form; 0 where it stands not there.
  static std::size_t size_at(const Form& form, std::string_view text, std::size_t begin);

  PairFilter filter_;  // of the shapes too
  std::vector<Form> forms_;
  std::vector<std::vector<std::size_t>> by_anchor_;  // by a hash of it
};

// Null where nothing is known.
const KnownSecrets* known_secrets();
const PairFilter& shape_filter();

}  // namespace detail
}  // namespace magi
