#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/unit/magi-replay/foreign_support.h"

// The first byte chooses the program.  Converting succeeds or says why not; what it gives is a valid stream.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto format = static_cast<magi::replay::ForeignFormat>(data[0] % 3);
  const auto converted = magi::replay::test::convert({reinterpret_cast<const char*>(data + 1), size - 1}, format);
  if (!converted.error.empty()) return 0;
  const std::string why = magi::context::test::complaint(converted.stream);
  if (why.empty()) return 0;
  std::fprintf(stderr, "%s\n", why.c_str());
  std::abort();
}
