// magi-prune's command line, with the settings that it falls back on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcommon/base/result.h"
#include "libcommon/tool/run_main.h"

namespace magi::prune {

inline constexpr std::int64_t kDefaultDays = 30;    // requirement N1
inline constexpr std::int64_t kMostDays = 1000000;  // beyond any clock

struct Options {
  std::string home;
  std::optional<std::int64_t> days;  // nothing: `--background` without a retention; there is nothing to do
  bool dry_run = false, background = false, json = false;
};

// Nothing in `exit_status` where the caller should go on.
struct Parsed {
  std::optional<int> exit_status;
  Options options;
};
Result<Parsed> parse_options(tool::Invocation& invocation);

}  // namespace magi::prune
