#include "tools/magi-code/prompt/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libcommon/base/utf8.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"

namespace magi::code {
namespace {

Error cannot_open(const std::string& path, int error) {
  if (error == ELOOP) return make_error(ErrorCode::kUnsafe, quoted(path), " is a link");
  return errno_error("cannot open " + quoted(path), error);
}

Result<std::string> read_text(const os::Fd& fd, const std::string& path, std::size_t most_bytes) {
  struct stat info {};
  if (fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return make_error(ErrorCode::kUnsafe, quoted(path), " is no regular file");
  std::string text(most_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    MAGI_TRY(const std::size_t bytes, os::read_some(fd.get(), text.data() + size, text.size() - size));
    if (bytes == 0) break;
    size += bytes;
  }
  text.resize(size);
  if (size <= most_bytes) return utf8::sanitize(text);
  text = utf8::sanitize(text);
  text.resize(utf8::floor_boundary(text, most_bytes));
  return text + "\n[cut at " + std::to_string(most_bytes / 1024) + " KiB]\n";
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::size_t most_bytes, Links links) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (links == Links::kRefuse ? O_NOFOLLOW : 0);
  const os::Fd fd(open(path.c_str(), flags));
  if (!fd) return cannot_open(path, errno);
  return read_text(fd, path, most_bytes);
}

Result<std::string> read_text_below(const std::string& folder, const std::string& relative, std::size_t most_bytes) {
  const std::string path = folder + "/" + relative;
  os::Fd at(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::string_view rest = relative;
  while (at) {
    const std::size_t slash = rest.find('/');
    const std::string part(rest.substr(0, slash));
    if (part.empty() || part == "." || part == "..") return make_error(ErrorCode::kUnsafe, "odd path ", quoted(path));
    if (slash == std::string_view::npos) {
      const os::Fd file(openat(at.get(), part.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
      if (!file) return cannot_open(path, errno);
      return read_text(file, path, most_bytes);
    }
    at = os::Fd(openat(at.get(), part.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    rest.remove_prefix(slash + 1);
  }
  // A link where a folder should be is ENOTDIR with O_DIRECTORY.
  return errno == ENOTDIR ? make_error(ErrorCode::kUnsafe, quoted(path), " lies behind a link")
                          : cannot_open(path, errno);
}

}  // namespace magi::code
