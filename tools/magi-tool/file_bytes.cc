#include "tools/magi-tool/file_bytes.h"

#include <cerrno>
#include <cstring>

#include "libcommon/digest/sha256.h"
#include "libcommon/os/disk.h"

namespace magi::toolbox {
namespace {

Error cannot_read(std::string_view shown, int error = errno) { return errno_error(quoted(shown), error); }

}  // namespace

Result<FileBytes> read_whole(int fd, std::string_view shown) {
  FileBytes file;
  if (os::disk().fstat(fd, &file.status) != 0) return cannot_read(shown);
  if (file.status.st_size > kLargestEdited)
    return make_error(ErrorCode::kLimit, quoted(shown), " is too large (", std::to_string(file.status.st_size),
                      " bytes)");
  file.bytes.resize(static_cast<std::size_t>(file.status.st_size));
  std::size_t done = 0;
  while (done < file.bytes.size()) {
    const ssize_t got =
        os::disk().pread(fd, file.bytes.data() + done, file.bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(shown);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  struct stat after {};
  if (os::disk().fstat(fd, &after) != 0) return cannot_read(shown);
  if (done < file.bytes.size() || stamp_of(after) != file.stamp())
    return make_error(ErrorCode::kBusy, quoted(shown), " is being changed by another process");
  if (file.status.st_size <= kLargestHashed) file.sha256 = sha256_hex(file.bytes);
  return file;
}

}  // namespace magi::toolbox
