// The environment as a value: read once in main, passed on, never looked up again.  Nothing here changes the process.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::config {

class Environment {
 public:
  Environment() = default;
  // NAME=VALUE entries; of duplicate names the first counts, as in getenv().
  explicit Environment(std::vector<std::string> entries) : entries_(std::move(entries)) {}
  // Copies `envp`, which may be null.
  static Environment copy_of(const char* const* envp);

  // Nothing where the variable is unset or empty: a script that clears one with NAME= means "not set".
  std::optional<std::string_view> get(std::string_view name) const;
  std::string_view get_or(std::string_view name, std::string_view fallback) const {
    return get(name).value_or(fallback);
  }

  // Every entry as it came, for a child's environment.
  const std::vector<std::string>& entries() const { return entries_; }
  // The same without the variables in `names`, each as a whole name.
  std::vector<std::string> entries_without(const std::vector<std::string_view>& names) const;

  // The home of all state: `option` (of --home), else $MC_HOME, else $HOME/.magi-code.  An absolute path without
  // trailing slashes; it need not exist.  Error: kConfig where the value is relative or none is set.
  Result<std::string> state_home(const std::optional<std::string>& option) const;

 private:
  std::vector<std::string> entries_;
};

}  // namespace magi::config
