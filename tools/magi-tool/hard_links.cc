#include "tools/magi-tool/hard_links.h"

#include <dirent.h>
#include <fcntl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/magi-tool/beneath.h"
#include "tools/magi-tool/session.h"

namespace magi::toolbox {
namespace {

constexpr std::size_t kMostEntries = 500'000;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Names of one file in the folders of a workspace.  Folders that lie in others are looked at once.
class NameCount {
 public:
  NameCount(const struct stat& wanted, const std::function<bool()>& cancelled)
      : wanted_(wanted), cancelled_(cancelled) {}

  // False: too much to look at.
  bool look_in(int top) {
    std::vector<std::string> folders{"."};
    while (!folders.empty() && count_ < wanted_.st_nlink) {
      const std::string path = std::move(folders.back());
      folders.pop_back();
      os::Fd fd = open_beneath(top, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0, Links::kRefuse);
      const std::unique_ptr<DIR, CloseFolder> entries(fd ? ::fdopendir(fd.get()) : nullptr);
      if (!entries) continue;
      fd.release();
      while (const dirent* entry = ::readdir(entries.get())) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (++seen_ > kMostEntries || (seen_ % 4096 == 0 && cancelled_ && cancelled_())) return false;
        if (entry->d_type == DT_DIR) folders.push_back(path + '/' + std::string(name));
        if (entry->d_ino == wanted_.st_ino && is_it(::dirfd(entries.get()), entry->d_name)) ++count_;
      }
    }
    return true;
  }
  bool found_all() const { return count_ >= wanted_.st_nlink; }

 private:
  bool is_it(int folder, const char* name) const {
    struct stat status {};
    return ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_dev == wanted_.st_dev &&
           status.st_ino == wanted_.st_ino;
  }

  const struct stat& wanted_;
  const std::function<bool()>& cancelled_;
  std::size_t seen_ = 0, count_ = 0;
};

bool lies_in(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && path.starts_with(folder) && (folder == "/" || path[folder.size()] == '/');
}

}  // namespace

Result<void> check_hard_links(Call& call, const Place& place, const struct stat& status) {
  if (status.st_nlink < 2 || call.approved || call.session.mode == Mode::kFull) return {};
  NameCount names(status, call.cancelled);
  const std::vector<std::string> folders = call.session.workspace.folders();
  for (std::size_t one = 0; one < folders.size(); ++one) {
    bool inside_another = false;
    for (std::size_t other = 0; other < folders.size(); ++other)
      inside_another |= lies_in(folders[one], folders[other]) || (other < one && folders[one] == folders[other]);
    if (inside_another) continue;
    MAGI_TRY(const Place top, call.session.workspace.locate(folders[one]));
    if (!names.look_in(top.top)) break;
  }
  if (names.found_all()) return {};
  call.details.needs_approval = quoted(place.shown) + " is one file with another one outside the working directory";
  return make_error(ErrorCode::kDenied, "not done: ", quoted(place.shown), " has ", std::to_string(status.st_nlink),
                    " names (hard links), and not all of them are in the working directory: the change would be one of "
                    "a file outside. It needs the user's approval; replacing it by a copy of its own first would do "
                    "too.");
}

}  // namespace magi::toolbox
