#include "tools/magi-perms/inventory.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "libcommon/os/fd.h"
#include "tools/magi-perms/layout.h"

namespace magi::perms {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Sorted, so that two looks at one home read alike.  -1 and errno where the folder cannot be read.
int list(int folder, std::vector<std::string>& names) {
  os::Fd own(::openat(folder, ".", kFolderFlags));
  if (!own) return -1;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(own.get()), &::closedir);
  if (!stream) return -1;
  static_cast<void>(own.release());
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return errno == 0 ? 0 : -1;
}

// Why an entry may not be touched; empty when it may.
std::string doubt_about(const struct stat& status, bool is_folder) {
  if (S_ISLNK(status.st_mode)) return "a link";
  if (is_folder && !S_ISDIR(status.st_mode)) return "not a folder";
  if (!is_folder && !S_ISREG(status.st_mode)) return "not a regular file";
  if (status.st_uid != ::geteuid()) return "owned by another user";
  if (!is_folder && status.st_nlink > 1) return "has another name (hard link)";
  return {};
}

// Others can use it, or its owner cannot.
bool needs_repair(mode_t mode, bool is_folder) {
  const mode_t wanted = is_folder ? kFolderMode : kFileMode;
  return (mode & 07777 & ~wanted) != 0 || (mode & 0400) == 0 || (is_folder && (mode & 0500) != 0500);
}

class Walk {
 public:
  Result<Inventory> run(const std::string& home);

 private:
  void enter(int folder, Place place, const std::string& path);
  void look_at(int folder, Place parent, const std::string& name, const std::string& path);
  void doubt(std::string path, std::string reason) {
    inventory_.doubts.push_back({std::move(path), std::move(reason)});
  }

  Inventory inventory_;
};

Result<Inventory> Walk::run(const std::string& home) {
  // The home's own path may lead over links; what lies below may not.
  const os::Fd top(::open(home.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top && errno == ENOENT) return std::move(inventory_);
  if (!top) return make_error(ErrorCode::kConfig, errno_error("cannot open the home " + quoted(home), errno).what);
  struct stat status {};
  if (::fstat(top.get(), &status) != 0) return errno_error("cannot look at the home " + quoted(home), errno);
  if (status.st_uid != ::geteuid())
    return make_error(ErrorCode::kConfig, "the home ", quoted(home), " belongs to another user");
  enter(top.get(), Place::kHome, "");
  return std::move(inventory_);
}

void Walk::enter(int folder, Place place, const std::string& path) {
  std::vector<std::string> names;
  if (list(folder, names) != 0) return doubt(path, std::string("cannot be listed: ") + std::strerror(errno));
  for (const std::string& name : names) look_at(folder, place, name, path.empty() ? name : path + '/' + name);
}

void Walk::look_at(int folder, Place parent, const std::string& name, const std::string& path) {
  const std::optional<Place> place = place_of(parent, name);
  if (!place && ignores_others(parent)) return;
  ++inventory_.looked_at;
  if (!place) return doubt(path, "not a name that belongs here");
  struct stat status {};
  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) doubt(path, std::strerror(errno));
    return;
  }
  const bool is_folder = *place != Place::kFile;
  if (std::string why = doubt_about(status, is_folder); !why.empty()) return doubt(path, std::move(why));
  if (needs_repair(status.st_mode, is_folder))
    inventory_.repairs.push_back(
        {path, is_folder, static_cast<mode_t>(status.st_mode & 07777), status.st_dev, status.st_ino});
  if (!is_folder) return;
  const os::Fd inside(::openat(folder, name.c_str(), kFolderFlags));
  if (!inside) return doubt(path, std::string("cannot be opened: ") + std::strerror(errno));
  enter(inside.get(), *place, path);
}

}  // namespace

Result<Inventory> take_inventory(const std::string& home) { return Walk().run(home); }

}  // namespace magi::perms
