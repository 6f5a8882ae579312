// magi-bench-tokens FILE...: how fast each instruction set that this processor has counts the files, by processor time.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

#include "libcommon/tokens/o200k/engine.h"

namespace {

double seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string read_file(const char* name) {
  std::string text;
  std::FILE* const file = std::fopen(name, "rb");
  if (!file) return text;
  char block[1 << 16];
  while (const std::size_t size = std::fread(block, 1, sizeof block, file)) text.append(block, size);
  std::fclose(file);
  return text;
}

// The best of three, in MB/s.
void measure(const char* name, const std::string& text, magi::o200k::Isa isa) {
  double best = 1e9;
  std::uint64_t tokens = 0;
  for (int i = 0; i < 3; ++i) {
    const auto engine = magi::o200k::make_engine(isa);
    const double begin = seconds();
    tokens = engine->count(text.data(), text.size(), UINT64_MAX);
    best = std::min(best, seconds() - begin);
  }
  std::fprintf(stdout, "%s %s: %llu tokens, %.0f MB/s\n", name, magi::o200k::isa_name(isa).data(),
               static_cast<unsigned long long>(tokens), static_cast<double>(text.size()) / best / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  using magi::o200k::Isa;
  for (int i = 1; i < argc; ++i) {
    const std::string text = read_file(argv[i]);
    measure(argv[i], text, Isa::kPortable);
    if (magi::o200k::best_isa() != Isa::kPortable) measure(argv[i], text, magi::o200k::best_isa());
  }
  return 0;
}
