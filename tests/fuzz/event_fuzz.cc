#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/replay_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string why = magi::context::test::complaint_of_event({reinterpret_cast<const char*>(data), size});
  if (why.empty()) return 0;
  std::fprintf(stderr, "%s\n", why.c_str());
  std::abort();
}
