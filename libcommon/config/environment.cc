#include "libcommon/config/environment.h"

#include <algorithm>

namespace magi::config {
namespace {

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

Result<std::string> absolute(std::string_view source, std::string_view path) {
  if (path.front() != '/')
    return make_error(ErrorCode::kConfig, source, ": ", quoted(path), " is not an absolute path");
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return std::string(path);
}

}  // namespace

Environment Environment::copy_of(const char* const* envp) {
  std::vector<std::string> entries;
  for (; envp && *envp; ++envp) entries.emplace_back(*envp);
  return Environment(std::move(entries));
}

std::optional<std::string_view> Environment::get(std::string_view name) const {
  for (const std::string& entry : entries_) {
    if (entry.size() <= name.size() || entry[name.size()] != '=' || name_of(entry) != name) continue;
    const std::string_view value = std::string_view(entry).substr(name.size() + 1);
    return value.empty() ? std::nullopt : std::optional(value);
  }
  return std::nullopt;
}

std::vector<std::string> Environment::entries_without(const std::vector<std::string_view>& names) const {
  std::vector<std::string> kept;
  for (const std::string& entry : entries_)
    if (std::find(names.begin(), names.end(), name_of(entry)) == names.end()) kept.push_back(entry);
  return kept;
}

Result<std::string> Environment::state_home(const std::optional<std::string>& option) const {
  if (option) {
    if (option->empty()) return make_error(ErrorCode::kConfig, "--home: needs a value");
    return absolute("--home", *option);
  }
  if (const auto mc_home = get("MC_HOME")) return absolute("MC_HOME", *mc_home);
  const auto home = get("HOME");
  if (!home) return make_error(ErrorCode::kConfig, "no home directory: set HOME or MC_HOME, or use --home DIR");
  auto path = absolute("HOME", *home);
  if (path) *path += path->size() == 1 ? ".magi-code" : "/.magi-code";
  return path;
}

}  // namespace magi::config
