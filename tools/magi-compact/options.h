// The command line of magi-compact (contracts, section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace magi::compact {

struct Options {
  std::optional<std::string> session;  // an ID, or child:ID
  std::optional<std::string> instructions, home;
  std::string provider, model, base_url;
  std::vector<std::string> overlay;  // --set
  bool dry_run = false, json = false;
  // Of the program that runs this one.
  std::optional<std::int64_t> lent_fd;
  std::string trigger = "manual";
};

// Nothing where the caller should go on; else the exit status.
std::optional<int> parse_options(int argc, const char* const* argv, Options& options);

}  // namespace magi::compact
