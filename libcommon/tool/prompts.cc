#include "libcommon/tool/prompts.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "libcommon/base/utf8.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"

namespace magi::tool {

Result<std::string> load_prompt(const std::string& folder, std::string_view name) {
  constexpr std::size_t kMaxBytes = 64 * 1024;
  const std::string path = folder + "/" + std::string(name) + ".md";
  const os::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd && (errno == ENOENT || errno == ENOTDIR)) return std::string(bundled_prompt(name));
  if (!fd) return errno_error("cannot open " + quoted(path), errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return make_error(ErrorCode::kIo, quoted(path), " is no regular file");
  auto text = os::read_all(fd.get(), kMaxBytes);
  if (!text) return make_error(text.error().code, quoted(path), ": ", text.error().what);
  return utf8::sanitize(*text);
}

}  // namespace magi::tool
