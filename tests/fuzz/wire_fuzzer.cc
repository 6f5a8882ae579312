// One target of wire_targets.h as a libFuzzer program.
#include "tests/fuzz/wire_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string problem = magi::fuzz::MAGI_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  if (!problem.empty()) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    std::abort();
  }
  return 0;
}
