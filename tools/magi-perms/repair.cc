#include "tools/magi-perms/repair.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "libcommon/os/fd.h"

namespace magi::perms {
namespace {

// An O_PATH descriptor of what `path` names below `top`; every component but a link.
Result<os::Fd> walk(int top, const std::string& path) {
  os::Fd at;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC | (end < path.size() ? O_DIRECTORY : 0);
    os::Fd next(::openat(at ? at.get() : top, name.c_str(), flags));
    if (!next) return errno_error("cannot open " + quoted(path), errno);
    at = std::move(next);
    begin = end + 1;
  }
  return at;
}

Result<void> repair_one(int top, const Repair& repair) {
  MAGI_TRY(const os::Fd target, walk(top, repair.path));
  struct stat now {};
  if (::fstat(target.get(), &now) != 0) return errno_error("cannot look at " + quoted(repair.path), errno);
  const bool same = now.st_dev == repair.device && now.st_ino == repair.inode && now.st_uid == ::geteuid() &&
                    (repair.is_folder ? S_ISDIR(now.st_mode) : S_ISREG(now.st_mode) && now.st_nlink == 1);
  if (!same)
    return make_error(ErrorCode::kUnsafe, quoted(repair.path), " was replaced meanwhile; the rest is as it was");
  // chmod(2) works through the name of an O_PATH descriptor, fchmod(2) does not.
  const std::string name = "/proc/self/fd/" + std::to_string(target.get());
  if (::chmod(name.c_str(), repair.new_mode()) != 0) return errno_error("cannot repair " + quoted(repair.path), errno);
  return {};
}

}  // namespace

Result<std::int64_t> repair_all(const std::string& home, const Inventory& inventory) {
  const os::Fd top(::open(home.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top) return errno_error("cannot open the home " + quoted(home), errno);
  std::int64_t repaired = 0;
  for (const Repair& repair : inventory.repairs) {
    MAGI_CHECK(repair_one(top.get(), repair));
    ++repaired;
  }
  return repaired;
}

}  // namespace magi::perms
