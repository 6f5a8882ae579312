// How fast texts are searched for secrets, and what is found in files that hold none: one line "FILE: KIND: TEXT" for
// each find, then a line of figures.
//   magi-bench-secrets [--quiet] FILE...
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "libcommon/base/known_secrets.h"

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  const bool quiet = argc > 1 && std::strcmp(argv[1], "--quiet") == 0;
  // As many as a home with two logins and three keys has.
  magi::set_known_secrets({"not-a-real-key-0001-q8w7e6r5t4", "not-a-real-key-0002-z9x8c7v6b5", "Kx91_notreal_2837465",
                           "Zq7-access-token-that-is-long-0123456789abcdef",
                           "Zq8-refresh-token-that-is-long-9876543210"});
  std::size_t bytes = 0, found = 0;
  std::string clean;
  for (int i = quiet ? 2 : 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    bytes += text.size();
    const std::size_t before = found;
    for (auto secret = magi::find_secret(text); secret;
         secret = magi::find_secret(text, secret->begin + secret->size)) {
      ++found;
      if (quiet) continue;
      std::printf("%s: %.*s: %.60s\n", argv[i], static_cast<int>(secret->kind.size()), secret->kind.data(),
                  text.substr(secret->begin, std::min<std::size_t>(secret->size, 60)).c_str());
    }
    if (found == before) clean += text;
  }
  // The least disturbed of several runs.
  double seconds = 1e9;
  for (int round = 0; round < 7; ++round) {
    const double begin = cpu_seconds();
    if (magi::find_secret(clean)) return 1;
    seconds = std::min(seconds, cpu_seconds() - begin);
  }
  std::printf("%zu bytes, %zu found, %.0f MB/s where nothing is\n", bytes, found,
              static_cast<double>(clean.size()) / 1e6 / std::max(seconds, 1e-9));
}
