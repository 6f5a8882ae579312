// Where exports come to stand (requirement X1): `exports/<session>-<UTC>[-N].zip`, private, never over another file.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/safe_open.h"
#include "libcommon/session/paths.h"

namespace magi::exporting {

// A file without a name yet; what is not published is gone when it is destroyed, or its process is.
class Unpublished {
 public:
  static Result<Unpublished> create(const session::Home& home);
  Unpublished(Unpublished&&) noexcept = default;
  Unpublished& operator=(Unpublished&&) = delete;
  ~Unpublished();

  int fd() const { return file_.get(); }
  // Syncs the bytes and gives them the first free name; the name is on the disk too when it returns.  The whole path.
  Result<std::string> publish(std::string_view session_id, std::int64_t unix_ms);

 private:
  Unpublished(os::Dir folder, os::Fd file, std::string temporary)
      : folder_(std::move(folder)), file_(std::move(file)), temporary_(std::move(temporary)) {}

  os::Dir folder_;
  os::Fd file_;
  std::string temporary_;  // a name to remove; empty where the file system can do without
};

}  // namespace magi::exporting
