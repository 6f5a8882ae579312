#include "tools/magi-tool/private_tmp.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace magi::toolbox {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::vector<std::string> names_in(os::Fd folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(folder.get()));
  if (!entries) return names;
  folder.release();
  while (const dirent* entry = ::readdir(entries.get()))
    if (const std::string_view name = entry->d_name; name != "." && name != "..") names.emplace_back(name);
  return names;
}

std::string prefix() { return "magi-tool-" + std::to_string(::geteuid()) + '-'; }

bool still_named(int fd, const std::string& path) {
  struct stat open {
  }, now{};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &now) == 0 && open.st_dev == now.st_dev &&
         open.st_ino == now.st_ino;
}

// Whose process is gone: nobody holds the lock any more.
void remove_left(const std::string& parent) {
  const os::Fd folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return;
  for (const std::string& name : names_in(os::Fd(::openat(folder.get(), ".", kFolder)))) {
    if (!name.starts_with(prefix())) continue;
    const os::Fd left(::openat(folder.get(), name.c_str(), kFolder));
    struct stat status {};
    if (!left || ::fstat(left.get(), &status) != 0 || status.st_uid != ::geteuid()) continue;
    if (::flock(left.get(), LOCK_EX | LOCK_NB) == 0) remove_tree(folder.get(), name);
  }
}

}  // namespace

void remove_tree(int parent, const std::string& name) {
  if (::unlinkat(parent, name.c_str(), 0) == 0) return;
  if (errno != EISDIR && errno != EPERM) return;
  // Package managers make folders read-only.
  if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0) return;
  os::Fd folder(::openat(parent, name.c_str(), kFolder));
  if (!folder && errno == EACCES && ::fchmodat(parent, name.c_str(), 0700, 0) == 0)
    folder.reset(::openat(parent, name.c_str(), kFolder));
  if (!folder) return;
  ::fchmod(folder.get(), 0700);
  for (const std::string& entry : names_in(os::Fd(::openat(folder.get(), ".", kFolder))))
    remove_tree(folder.get(), entry);
  ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

PrivateTmp PrivateTmp::create(const std::vector<std::string>& parents) {
  for (const std::string& parent : parents) {
    if (!parent.starts_with('/')) continue;
    remove_left(parent);
    for (int attempt = 0; attempt < 3; ++attempt) {
      std::string path = parent + '/' + prefix() + "XXXXXX";
      if (::mkdtemp(path.data()) == nullptr) break;
      PrivateTmp made;
      made.lock_.reset(::open(path.c_str(), kFolder));
      made.path_ = std::move(path);
      // Until it is locked, another process that cleans up may take the folder for a left one.
      if (made.lock_ && ::flock(made.lock_.get(), LOCK_EX | LOCK_NB) == 0 && still_named(made.lock_.get(), made.path_))
        return made;
      made.path_.clear();
    }
  }
  return {};
}

PrivateTmp& PrivateTmp::operator=(PrivateTmp&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
    lock_ = std::move(other.lock_);
  }
  return *this;
}

void PrivateTmp::remove() {
  if (path_.empty()) return;
  const std::size_t slash = path_.find_last_of('/');
  const os::Fd parent(::open(path_.substr(0, slash + 1).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (parent) remove_tree(parent.get(), path_.substr(slash + 1));
  path_.clear();
}

}  // namespace magi::toolbox
