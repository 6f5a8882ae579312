#include "libcommon/tokens/counter.h"

#include <array>
#include <string>

#include "libcommon/base/utf8.h"
#include "libcommon/json/node.h"

namespace magi::tokens {
namespace {

// English prose and code lie near four characters a token; other scripts are underestimated (magi-tokens(1)).
constexpr std::uint64_t kCharactersPerToken = 4;

class CharacterEstimate : public Counter {
 public:
  std::string_view method() const override { return "characters"; }
  bool is_exact() const override { return false; }
  std::uint64_t count(std::string_view text) const override { return tokens(utf8::count(text)); }
  std::uint64_t count_raw(std::string_view raw) const override { return tokens(json::count_characters(raw)); }

 private:
  static std::uint64_t tokens(std::uint64_t characters) {
    return (characters + kCharactersPerToken - 1) / kCharactersPerToken;
  }
};

const CharacterEstimate kEstimate;

// The first row that fits decides; an empty text fits everything, a model fits by its beginning.
struct Row {
  std::string_view provider, model_begins;
  const Counter* counter;
};
constexpr std::array<Row, 1> kRows{{{"", "", &kEstimate}}};

}  // namespace

std::uint64_t Counter::count_raw(std::string_view raw_string) const {
  std::string text;
  json::append_unescaped(text, raw_string);
  return count(text);
}

const Counter& counter_for(std::string_view provider, std::string_view model) {
  for (const Row& row : kRows)
    if ((row.provider.empty() || row.provider == provider) &&
        model.substr(0, row.model_begins.size()) == row.model_begins)
      return *row.counter;
  return kEstimate;
}

const Counter& default_counter() { return kEstimate; }

}  // namespace magi::tokens
