#include "tools/magi-tool/workspace.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <optional>

#include "tools/magi-tool/beneath.h"

namespace magi::toolbox {
namespace {

// Nothing that a model names may block the process or become its terminal.
constexpr int kAlways = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

bool is_beneath(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::optional<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  if (!real) return std::nullopt;
  return std::string(real.get());
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

Error cannot_open(const Place& place, int error) { return errno_error(quoted(place.shown), error); }

Error never_opened(const Place& place) {
  return make_error(ErrorCode::kDenied, quoted(place.shown), " holds credentials or conversations and is never opened");
}

}  // namespace

std::string normalized(std::string_view absolute) {
  std::string out;
  while (!absolute.empty()) {
    const std::size_t end = std::min(absolute.find('/'), absolute.size());
    const std::string_view part = absolute.substr(0, end);
    absolute.remove_prefix(std::min(end + 1, absolute.size()));
    if (part.empty() || part == ".") continue;
    if (part == "..")
      out.resize(out.empty() ? 0 : out.find_last_of('/'));
    else
      out.append("/").append(part);
  }
  return out.empty() ? "/" : out;
}

Result<Workspace::Top> Workspace::open_top(const std::string& path) {
  std::array<char, PATH_MAX> cwd;
  Top top;
  if (path.starts_with('/'))
    top.given = normalized(path);
  else if (::getcwd(cwd.data(), cwd.size()) == nullptr)
    return errno_error("working directory", errno);
  else
    top.given = normalized(std::string(cwd.data()) + '/' + path);
  top.fd.reset(::open(top.given.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::optional<std::string> real = real_path(top.given);
  if (!top.fd || !real) return errno_error("cannot work in " + quoted(path), errno);
  top.real = *std::move(real);
  return top;
}

Result<Workspace> Workspace::open(const std::string& root, const std::vector<std::string>& added,
                                  std::vector<std::string> hidden, const std::string& kept) {
  Workspace workspace;
  workspace.kept_ = real_path(kept).value_or(kept);
  MAGI_TRY(Top first, open_top(root));
  workspace.tops_.push_back(std::move(first));
  for (const std::string& folder : added) {
    MAGI_TRY(Top top, open_top(folder));
    workspace.tops_.push_back(std::move(top));
  }
  for (std::string& path : hidden) {
    // The file itself need not exist; the folder that it will be in may be reached through links.
    if (auto real = real_path(path))
      path = *std::move(real);
    else if (auto folder = real_path(parent_of(path)))
      path = *folder + '/' + name_of(path);
    for (const Top& top : workspace.tops_) workspace.hides_inside_ |= is_beneath(path, top.real);
  }
  workspace.hidden_ = std::move(hidden);
  return workspace;
}

Result<void> Workspace::refresh() {
  for (Top& top : tops_) {
    struct stat open {
    }, now{};
    if (::stat(top.given.c_str(), &now) != 0 || !S_ISDIR(now.st_mode))
      return make_error(ErrorCode::kNotFound, "working directory missing: ", quoted(top.given),
                        " does not exist any more; nothing can be done until it is made again");
    if (::fstat(top.fd.get(), &open) == 0 && open.st_dev == now.st_dev && open.st_ino == now.st_ino) continue;
    MAGI_TRY(top, open_top(top.given));
  }
  return {};
}

std::vector<std::string> Workspace::folders() const {
  std::vector<std::string> all;
  for (const Top& top : tops_) all.push_back(top.real);
  return all;
}

Place Workspace::place_of(const std::string& absolute) const {
  for (const Top& top : tops_) {
    for (const std::string& name : {top.given, top.real}) {
      if (!is_beneath(absolute, name)) continue;
      Place place;
      place.top = top.fd.get();
      place.relative = absolute.substr(name == "/" ? 1 : std::min(name.size() + 1, absolute.size()));
      if (place.relative.empty()) place.relative = ".";
      const bool in_root = &top == &tops_.front();
      place.shown = in_root ? place.relative : place.relative == "." ? top.real : top.real + '/' + place.relative;
      return place;
    }
  }
  Place place;
  place.relative = place.shown = absolute;
  place.outside = true;
  return place;
}

Result<Place> Workspace::locate(std::string_view path) const {
  if (path.empty()) return make_error(ErrorCode::kUsage, "an empty path");
  if (path.find('\0') != std::string_view::npos) return make_error(ErrorCode::kUsage, "a path with a NUL character");
  const std::string absolute = path.front() == '/' ? std::string(path) : tops_.front().real + '/' + std::string(path);
  return place_of(normalized(absolute));
}

// realpath() only finds the candidate; what is opened then is found without links from the folder's own descriptor.
Result<Place> Workspace::follow(const Place& place) const {
  const std::string absolute = path_of(place.top) + '/' + place.relative;
  std::optional<std::string> real = real_path(absolute);
  if (!real)
    if (const auto folder = real_path(parent_of(absolute))) real = *folder + '/' + name_of(absolute);
  if (!real) return cannot_open(place, ENOENT);
  Place target = place_of(*real);
  if (target.outside)
    return make_error(ErrorCode::kUnsafe, quoted(place.shown), " leads outside through a link, to ", quoted(*real));
  return target;
}

Result<os::Fd> Workspace::checked(os::Fd fd, const Place& place) const {
  if (!hides_inside_ && !place.outside) return fd;
  if (is_hidden(path_of(fd.get()))) return never_opened(place);
  return fd;
}

Result<os::Fd> Workspace::open(const Place& place, int flags, mode_t mode) const {
  flags |= flags & O_PATH ? O_CLOEXEC : kAlways;
  if (place.outside) {
    os::Fd fd(::open(place.relative.c_str(), flags, mode));
    if (!fd) return cannot_open(place, errno);
    return checked(std::move(fd), place);
  }
  os::Fd fd = open_beneath(place.top, place.relative, flags, mode);
  if (!fd && errno == EXDEV) {
    MAGI_TRY(const Place target, follow(place));
    fd = open_beneath(target.top, target.relative, flags, mode, Links::kRefuse);
  }
  if (!fd) return cannot_open(place, errno);
  return checked(std::move(fd), place);
}

Result<os::Fd> Workspace::make_folders(const Place& folder, std::vector<std::string>& made) const {
  Result<os::Fd> fd = open(folder, O_PATH | O_DIRECTORY);
  if (fd || fd.error().code != ErrorCode::kNotFound || folder.relative == "." || folder.relative == "/") return fd;
  Place parent = folder;
  parent.relative = parent_of(folder.relative);
  parent.shown = parent_of(folder.shown);
  MAGI_TRY(const os::Fd above, make_folders(parent, made));
  const std::string name = name_of(folder.relative);
  if (::mkdirat(above.get(), name.c_str(), 0777) == 0)
    made.push_back(folder.shown + '/');
  else if (errno != EEXIST)
    return cannot_open(folder, errno);
  os::Fd opened(::openat(above.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) return cannot_open(folder, errno);
  return opened;
}

// Before folders are made, so by the nearest one that exists.
Result<void> Workspace::check_kept(const Place& place) const {
  if (kept_.empty()) return {};
  Place folder = place;
  for (;;) {
    folder.relative = parent_of(folder.relative);
    const Result<os::Fd> opened = open(folder, O_PATH | O_DIRECTORY);
    if (opened && is_beneath(path_of(opened->get()), kept_))
      return make_error(ErrorCode::kDenied, quoted(place.shown),
                        " lies in the home of this program, where tools write nothing");
    if (opened || folder.relative == "." || folder.relative == "/") return {};
  }
}

Result<Workspace::Slot> Workspace::slot(const Place& place, bool make, std::vector<std::string>& made) const {
  Place target = place;
  if (const Result<os::Fd> existing = open(place, O_PATH)) {
    target = place_of(path_of(existing->get()));
    // Moved away since it was opened, or reached through a link of a folder outside.
    if (target.outside && !place.outside)
      return make_error(ErrorCode::kUnsafe, quoted(place.shown), " is no longer inside");
  } else if (existing.error().code != ErrorCode::kNotFound) {
    return existing.error();
  }
  Place folder = target;
  folder.relative = parent_of(target.relative);
  folder.shown = parent_of(target.shown);
  MAGI_CHECK(check_kept(target));
  Slot slot;
  slot.name = name_of(target.relative);
  if (slot.name == "." || slot.name.empty()) return make_error(ErrorCode::kUsage, quoted(place.shown), " is a folder");
  if (make) {
    MAGI_TRY(slot.folder, make_folders(folder, made));
  } else {
    MAGI_TRY(slot.folder, open(folder, O_PATH | O_DIRECTORY));
  }
  if (!hidden_.empty() && is_hidden(path_of(slot.folder.get()) + '/' + slot.name)) return never_opened(place);
  return slot;
}

std::string Workspace::path_of(int fd) {
  std::array<char, PATH_MAX> path;
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path.data(), path.size());
  return length <= 0 ? std::string() : std::string(path.data(), static_cast<std::size_t>(length));
}

bool Workspace::is_hidden(const std::string& absolute) const {
  for (const std::string& path : hidden_)
    if (is_beneath(absolute, path)) return true;
  return false;
}

Result<os::Fd> open_regular(const Workspace& workspace, const Place& place) {
  MAGI_TRY(os::Fd fd, workspace.open(place, O_RDONLY));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return errno_error(quoted(place.shown), errno);
  if (S_ISREG(status.st_mode)) return fd;
  const char* const what = S_ISDIR(status.st_mode)    ? "a folder: use list_files"
                           : S_ISFIFO(status.st_mode) ? "a FIFO, not a regular file"
                           : S_ISSOCK(status.st_mode) ? "a socket, not a regular file"
                                                      : "a device, not a regular file";
  return make_error(ErrorCode::kUsage, quoted(place.shown), " is ", what);
}

}  // namespace magi::toolbox
