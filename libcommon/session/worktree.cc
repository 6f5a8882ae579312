#include "libcommon/session/worktree.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string_view>

#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"

namespace magi::session {
namespace {

std::optional<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), &::free);
  if (!resolved) return std::nullopt;
  return std::string(resolved.get());
}

// The first line of a small regular file.
std::optional<std::string> first_line(const std::string& path) {
  const os::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  auto text = os::read_all(fd.get(), PATH_MAX + 64);
  if (!text) return std::nullopt;
  return text->substr(0, text->find('\n'));
}

std::string join(const std::string& folder, const std::string& path) {
  return path.starts_with('/') ? path : folder + '/' + path;
}

// What `folder`/.git, a file, leads to: the common repository of a linked worktree, nothing for a submodule.
std::optional<std::string> common_repository(const std::string& folder) {
  constexpr std::string_view kPrefix = "gitdir: ";
  const auto link = first_line(folder + "/.git");
  if (!link || !link->starts_with(kPrefix)) return std::nullopt;
  const std::string git_dir = join(folder, link->substr(kPrefix.size()));
  const auto common = first_line(git_dir + "/commondir");
  if (!common) return std::nullopt;
  auto repository = real_path(join(git_dir, *common));
  if (repository && repository->ends_with("/.git"))
    repository->resize(repository->size() - std::string_view("/.git").size());
  return repository;
}

}  // namespace

std::string worktree_of(const std::string& cwd) {
  const auto real = real_path(cwd);
  if (!real) return cwd;
  for (std::string folder = *real; !folder.empty(); folder.resize(folder.rfind('/'))) {
    struct stat status {};
    if (::lstat((folder + "/.git").c_str(), &status) != 0) continue;
    if (S_ISREG(status.st_mode)) return common_repository(folder).value_or(folder);
    return folder;
  }
  return *real;
}

}  // namespace magi::session
