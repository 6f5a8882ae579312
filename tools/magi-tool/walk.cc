#include "tools/magi-tool/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace magi::toolbox {
namespace {

constexpr int kDeepest = 200;  // each level holds a descriptor

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

bool is_version_control(std::string_view name) {
  return name == ".git" || name == ".hg" || name == ".svn" || name == ".jj";
}

unsigned char type_of(int folder, const char* name) {
  struct stat status {};
  if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  return S_ISDIR(status.st_mode) ? DT_DIR : S_ISREG(status.st_mode) ? DT_REG : DT_LNK;
}

}  // namespace

Result<void> Walk::run(const Place& start, const Visit& visit) {
  MAGI_TRY(os::Fd folder, workspace_.open(start, O_RDONLY | O_DIRECTORY));
  const std::string real = Workspace::path_of(folder.get());
  rules_.enter_start(real);
  if (workspace_.hides_inside()) absolute_ = real;
  visit_ = &visit;
  walk_folder(std::move(folder), "", 0);
  return {};
}

Walk::Next Walk::walk_folder(os::Fd folder, const std::string& path, int depth) {
  if (was_cancelled_ || (was_cancelled_ = cancelled_())) return Next::kStop;
  const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(folder.get()));
  if (!entries) {
    ++unreadable_;
    return Next::kGoOn;
  }
  const int fd = folder.release();
  std::vector<std::pair<std::string, unsigned char>> names;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !is_version_control(name)) names.emplace_back(name, entry->d_type);
  }
  std::sort(names.begin(), names.end());
  for (const auto& [name, type] : names)
    if (visit_one(fd, path + name, name.c_str(), type, depth) == Next::kStop) return Next::kStop;
  return Next::kGoOn;
}

Walk::Next Walk::visit_one(int folder, const std::string& path, const char* name, unsigned char type, int depth) {
  if (++visited_ % 64 == 0 && (was_cancelled_ = cancelled_())) return Next::kStop;
  if (type == DT_UNKNOWN) type = type_of(folder, name);
  const bool is_folder = type == DT_DIR;
  if (rules_.ignores(path, is_folder)) return Next::kGoOn;
  if (!absolute_.empty() && workspace_.is_hidden(absolute_ + '/' + path)) return Next::kGoOn;
  const Next next = (*visit_)({path, folder, name, is_folder, type == DT_REG});
  if (next == Next::kStop || !is_folder) return next;
  os::Fd below(depth < kDeepest ? ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
                                : -1);
  if (!below) {
    ++unreadable_;
    return Next::kGoOn;
  }
  const std::string prefix = path + '/';
  rules_.enter(below.get(), prefix);
  const Next after = walk_folder(std::move(below), prefix, depth + 1);
  rules_.leave();
  return after;
}

}  // namespace magi::toolbox
