#include "tools/magi-tool/shell_environment.h"

#include <algorithm>
#include <iterator>

#include "libcommon/base/secret_shapes.h"
#include "libcommon/config/secrets.h"

namespace magi::toolbox {
namespace {

constexpr std::string_view kSet[] = {
    "EDITOR=true",
    "VISUAL=true",
    "GIT_EDITOR=true",
    "GIT_SEQUENCE_EDITOR=true",
    "PAGER=cat",
    "GIT_PAGER=cat",
    "MANPAGER=cat",
    "GIT_TERMINAL_PROMPT=0",
    "GIT_ASKPASS=true",
    "SSH_ASKPASS_REQUIRE=never",
    "DEBIAN_FRONTEND=noninteractive",
    "TERM=dumb",
};
constexpr std::string_view kRemoved[] = {"BASH_ENV", "ENV", "SSH_ASKPASS", "SUDO_ASKPASS"};

std::string_view name_of(std::string_view entry) { return entry.substr(0, std::min(entry.find('='), entry.size())); }

bool is_set_by_us(std::string_view name, bool private_tmp) {
  const auto same = [&](std::string_view entry) { return name_of(entry) == name; };
  return std::any_of(std::begin(kSet), std::end(kSet), same) ||
         (private_tmp && (name == "TMPDIR" || name == "XDG_CACHE_HOME" || name == "npm_config_cache"));
}

}  // namespace

std::vector<std::string> shell_environment(const config::Environment& environment,
                                           const std::vector<std::string>& removed, const std::string& private_tmp) {
  std::vector<std::string> out;
  for (const std::string& entry : environment.entries()) {
    const std::string_view name = name_of(entry);
    if (name.size() == entry.size()) continue;  // no '='
    const std::string_view value = std::string_view(entry).substr(name.size() + 1);
    if (is_set_by_us(name, !private_tmp.empty()) || config::is_secret_name(name) || find_secret(value) ||
        std::find(std::begin(kRemoved), std::end(kRemoved), name) != std::end(kRemoved) ||
        std::find(removed.begin(), removed.end(), name) != removed.end())
      continue;
    out.push_back(entry);
  }
  out.insert(out.end(), std::begin(kSet), std::end(kSet));
  if (private_tmp.empty()) return out;
  out.push_back("TMPDIR=" + private_tmp);
  out.push_back("XDG_CACHE_HOME=" + private_tmp + "/cache");
  out.push_back("npm_config_cache=" + private_tmp + "/npm");
  return out;
}

}  // namespace magi::toolbox
