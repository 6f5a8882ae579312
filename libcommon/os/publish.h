// Changes of the user's own files: a reader sees the old bytes or the new ones and a crash leaves one of them.  What
// makes a file the user's own stays: owner, extended attributes, hard links, and the mode unless another is asked for
// (FIL-09, FIL-17).  What others do to the file meanwhile is noticed at the last moment, and stands (FIL-12).
//
// A file is given as an open folder and a name in it, so that no link on the way can lead elsewhere; `shown` is how
// errors name it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"

namespace magi::os {

// Told the mode that the file will have, when everything but the change itself has succeeded.  An error: the file stays
// as it is, and this is the error.
using BeforeVisible = std::function<Result<void>(mode_t)>;

struct NewContent {
  std::string_view bytes;
  std::optional<mode_t> mode = {};  // nothing: that of the old file, or 0666 less the umask
  BeforeVisible before_visible = {};
  bool durable = false;  // the bytes of a file that did not exist are synced too; the others always are
};

// `old` is the status of the file when its content was read; null: nothing had the name.
// Errors, all with the name's content as it was:
//   kBusy    someone changed, removed or created the file since; their change stands
//   kDenied  the file is not writable for the user, by its mode for nobody
//   others   the disk
// A file with several names is written in place, since replacing it would part them: there a crash can leave a mixture.
// The value is the status of what was written.
Result<struct stat> publish(int folder, const std::string& name, const NewContent& content, const struct stat* old,
                            std::string_view shown);

// Removes a file.  `old` is its status when its content was read; kBusy as above.
Result<void> withdraw(int folder, const std::string& name, const struct stat& old, std::string_view shown,
                      const BeforeVisible& before_visible);

}  // namespace magi::os
