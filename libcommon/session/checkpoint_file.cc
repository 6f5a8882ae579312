#include "libcommon/session/checkpoint_file.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "libcommon/digest/sha256.h"
#include "libcommon/os/disk.h"
#include "libcommon/os/retry.h"

namespace magi::session {
namespace {

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;

Error in_the_way(std::string_view path) {
  return make_error(ErrorCode::kUnsafe, "a link or a file stands where the folder of ", quoted(path), " was");
}

// Nothing where the path is none that a tool could have recorded.
std::optional<std::vector<std::string>> components_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos) return std::nullopt;
    parts.emplace_back(part);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  if (parts.empty()) return std::nullopt;
  return parts;
}

Result<os::Fd> open_folder(int above, const std::string& name, bool make, std::int64_t* made, std::string_view path) {
  const auto open = [&] {
    return os::Fd(os::retry([&] { return os::disk().openat(above, name.c_str(), kFolderFlags | O_NOFOLLOW, 0); }));
  };
  os::Fd folder = open();
  if (!folder && errno == ENOENT && make) {
    if (os::disk().mkdirat(above, name.c_str(), 0777) == 0 && made != nullptr) ++*made;
    folder = open();
  }
  if (folder) return folder;
  if (errno == ELOOP || errno == ENOTDIR) return in_the_way(path);
  return errno_error("folder of " + quoted(path), errno);
}

// The folder and the name; nothing is known of the file.
Result<FoundFile> find_place(const std::string& root, std::string_view path, bool make_folders, std::int64_t* made) {
  const auto parts = components_of(path);
  if (!parts) return make_error(ErrorCode::kUnsafe, quoted(path), " is no path of a file");
  FoundFile found;
  // The folder that the tools worked in is the user's to move behind a link; what lies below it is not.
  found.folder.reset(os::retry([&] { return os::disk().openat(AT_FDCWD, root.c_str(), kFolderFlags, 0); }));
  if (!found.folder) return errno_error("folder " + quoted(root), errno);
  for (std::size_t at = 0; at + 1 < parts->size(); ++at) {
    MAGI_TRY(found.folder, open_folder(found.folder.get(), (*parts)[at], make_folders, made, path));
  }
  found.name = parts->back();
  return found;
}

bool same_moment(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec &&
         a.st_ctim.tv_sec == b.st_ctim.tv_sec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

constexpr std::size_t kBlockBytes = 256 * 1024;

os::Fd open_file(const FoundFile& found) {
  return os::Fd(os::retry([&] {
    return os::disk().openat(found.folder.get(), found.name.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
  }));
}

// Hands out the first `size` bytes of a file in blocks.
template <class Take>
Result<void> read_blocks(int fd, std::int64_t size, std::string_view path, const Take& take) {
  std::vector<char> block(static_cast<std::size_t>(std::min<std::int64_t>(size, kBlockBytes)));
  for (std::int64_t at = 0; at < size;) {
    const ssize_t count = os::retry([&] { return os::disk().pread(fd, block.data(), block.size(), at); });
    if (count < 0) return errno_error(quoted(path), errno);
    if (count == 0) break;
    take(std::string_view(block.data(), static_cast<std::size_t>(count)));
    at += count;
  }
  return {};
}

Result<void> read_state(FoundFile& found, std::string_view path) {
  const os::Fd fd = open_file(found);
  if (!fd && errno == ENOENT) return {};
  if (!fd && errno == ELOOP) return make_error(ErrorCode::kUnsafe, quoted(path), " is a link now");
  if (!fd) return errno_error(quoted(path), errno);
  if (os::disk().fstat(fd.get(), &found.status) != 0) return errno_error(quoted(path), errno);
  if (!S_ISREG(found.status.st_mode)) return make_error(ErrorCode::kUnsafe, quoted(path), " is no regular file now");
  FileState state{{}, found.status.st_size, mode_text(found.status.st_mode)};
  if (state.bytes <= kLargestSaved) {
    Sha256 digest;
    MAGI_CHECK(read_blocks(fd.get(), state.bytes, path, [&](std::string_view block) { digest.update(block); }));
    state.sha256 = digest.hex();
  }
  struct stat after {};
  if (os::disk().fstat(fd.get(), &after) != 0) return errno_error(quoted(path), errno);
  if (!same_moment(after, found.status))
    return make_error(ErrorCode::kBusy, quoted(path), " is being changed by another process");
  found.state = std::move(state);
  return {};
}

}  // namespace

Result<FoundFile> find_file(const std::string& root, std::string_view path, bool make_folders, std::int64_t* made) {
  MAGI_TRY(FoundFile found, find_place(root, path, make_folders, made));
  MAGI_CHECK(read_state(found, path));
  return found;
}

Result<std::string> read_found(const FoundFile& found, std::string_view path) {
  const os::Fd fd = open_file(found);
  if (!fd) return errno_error(quoted(path), errno);
  std::string bytes;
  MAGI_CHECK(read_blocks(fd.get(), found.state->bytes, path, [&](std::string_view block) { bytes += block; }));
  if (sha256_hex(bytes) != found.state->sha256)
    return make_error(ErrorCode::kBusy, quoted(path), " was changed by another process meanwhile");
  return bytes;
}

void remove_empty_folders(const std::string& root, std::string_view path, std::int64_t count) {
  for (; count > 0; --count) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return;
    path = path.substr(0, slash);
    const auto found = find_place(root, path, false, nullptr);
    if (!found || os::disk().unlinkat(found->folder.get(), found->name.c_str(), AT_REMOVEDIR) != 0) return;
  }
}

}  // namespace magi::session
