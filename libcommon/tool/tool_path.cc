#include "libcommon/tool/tool_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>

namespace magi::tool {
namespace {

void append_list(std::vector<std::string>& folders, std::string_view list) {
  while (!list.empty()) {
    const std::size_t colon = list.find(':');
    const std::string_view folder = list.substr(0, colon);
    // An empty or relative entry would let the current folder, a repository, supply our tools.
    if (!folder.empty() && folder.front() == '/') folders.emplace_back(folder);
    if (colon == std::string_view::npos) break;
    list.remove_prefix(colon + 1);
  }
}

std::string own_folder() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return {};
  const std::string_view exe(path, static_cast<std::size_t>(length));
  return std::string(exe.substr(0, exe.rfind('/')));
}

bool is_executable_file(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

ToolPath::ToolPath(std::string_view tool_path, std::string_view path) {
  append_list(folders_, tool_path);
  if (const std::string own = own_folder(); !own.empty()) {
    folders_.push_back(own);
    folders_.push_back(own + "/../libexec/magi-code");
  }
  append_list(folders_, path);
}

Result<std::string> ToolPath::find(std::string_view name) const {
  for (const std::string& folder : folders_) {
    std::string candidate = folder + "/" + std::string(name);
    if (is_executable_file(candidate)) return candidate;
  }
  return make_error(ErrorCode::kConfig, "cannot find ", name,
                    ": neither in MAGI_TOOL_PATH, beside the program, in libexec nor in PATH");
}

}  // namespace magi::tool
