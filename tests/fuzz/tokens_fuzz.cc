// Any bytes: every engine, the splits and the reference agree, and the tokens are the text.
#include <cstdlib>

#include "libcommon/tokens/o200k/engine.h"
#include "tests/unit/tokens/reference.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace magi::o200k;
  const std::string text = magi::utf8::sanitize({reinterpret_cast<const char*>(data), size});
  const std::vector<std::uint32_t> expected = reference::encode(text);
  for (const Isa isa : {Isa::kPortable, best_isa()}) {
    const auto engine = make_engine(isa);
    std::vector<std::uint32_t> ids(text.size() + 1);
    ids.resize(engine->encode(text.data(), text.size(), ids.data()));
    check(ids == expected);
    check(engine->count(text.data(), text.size(), UINT64_MAX) == expected.size());
  }
  std::string back;
  for (const std::uint32_t id : expected) back += *token_bytes(id);
  check(back == text);
  if (const std::size_t split = last_split(text))
    check(count(text.substr(0, split)) + count(text.substr(split)) == expected.size());
  return 0;
}
