// What magi-tokens is asked to do, and who does it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/tool/run_main.h"

namespace magi::measure {

struct Options {
  std::string provider, model;  // empty: what the stream or settings say
  bool json = false, check = false, strict = false, serve = false;
  bool text = false, ids = false, decode = false;
  std::optional<std::int64_t> truncate, threads;
  std::vector<std::string> files, overlay;  // overlay: --set
  std::optional<std::string> home;
};

// Returns the exit status.
Result<int> run(const Options& options, const tool::Invocation& invocation);

}  // namespace magi::measure
