#include "libcommon/tokens/counter.h"

#include <array>
#include <string>

#include "libcommon/base/utf8.h"
#include "libcommon/json/node.h"
#include "libcommon/tokens/o200k.h"

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

class O200kBase : public Counter {
 public:
  std::string_view method() const override { return "o200k_base"; }
  bool is_exact() const override { return true; }
  std::uint64_t count(std::string_view text) const override { return o200k::count(text); }
};

const CharacterEstimate kEstimate;
const O200kBase kO200kBase;

// The models that are known to use o200k_base (openai/tiktoken, model.py).  A family is the model of that name and
// those that go on behind it with "-" or ".".
struct Row {
  std::string_view provider, family;
};
constexpr auto kO200kModels = std::to_array<Row>({
    {"openai", "chatgpt-4o"},
    {"openai", "codex-mini"},
    {"openai", "gpt-4.1"},
    {"openai", "gpt-4.5"},
    {"openai", "gpt-4o"},
    {"openai", "gpt-5"},
    {"openai", "gpt-oss"},
    {"openai", "o1"},
    {"openai", "o3"},
    {"openai", "o4-mini"},
    {"openai-codex", "codex-mini"},
    {"openai-codex", "gpt-5"},
    {"openai-codex", "o3"},
    {"openai-codex", "o4-mini"},
});

bool is_of(std::string_view model, std::string_view family) {
  if (!model.starts_with(family)) return false;
  return model.size() == family.size() || model[family.size()] == '-' || model[family.size()] == '.';
}

}  // namespace

std::uint64_t Counter::count_raw(std::string_view raw_string) const {
  if (raw_string.find('\\') == std::string_view::npos) return count(raw_string);
  std::string text;
  json::append_unescaped(text, raw_string);
  return count(text);
}

const Counter& counter_for(std::string_view provider, std::string_view model) {
  for (const Row& row : kO200kModels)
    if ((provider.empty() || row.provider == provider) && is_of(model, row.family)) return kO200kBase;
  return kEstimate;
}

const Counter& default_counter() { return kO200kBase; }

}  // namespace magi::tokens
