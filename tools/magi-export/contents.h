// What an export of a session consists of (requirement X2): opened, measured and locked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"
#include "libcommon/session/paths.h"

namespace magi::exporting {

namespace role {
inline constexpr std::string_view kSession = "session", kMetadata = "metadata", kGeneration = "generation",
                                  kChildSession = "child_session", kChildMetadata = "child_metadata",
                                  kChildGeneration = "child_generation";
}  // namespace role

// One file of the archive.
struct Member {
  std::string_view role;
  std::string path;  // in the archive: as below the home
  std::string session_id;
  std::int64_t generation = -1;  // of an archive of a generation
  os::Fd file;
  std::uint64_t bytes = 0;  // so many from its start
  std::int64_t mtime_s = 0;
};

struct Child {
  std::string id, parent_id;
  bool included = false;
};

// What is not complete: bounded words, no paths.
struct Warning {
  std::string_view category;  // "missing", "unsafe", "invalid_id", "unreadable", "live"
  std::string_view role;
  std::string session_id;  // empty where there is no valid one
};
inline constexpr std::size_t kMostWarnings = 200;

struct Contents {
  std::vector<Member> members;  // the session first
  std::vector<Child> children;
  std::vector<Warning> warnings;   // at most kMostWarnings
  std::int64_t more_warnings = 0;  // beyond them
};

// Holds the mutation locks of all its sessions, shared, until it is destroyed.
class Locks {
 public:
  Locks();
  Locks(Locks&&) noexcept;
  Locks& operator=(Locks&&) = delete;
  ~Locks();
  // kBusy after 10 s.
  Result<void> lock(const os::Dir& sessions, std::string_view id);

 private:
  struct Held;
  std::vector<std::unique_ptr<Held>> held_;
};

// Errors: the primary session is missing, unsafe or locked.  A descendant that cannot be had is a warning.
Result<Contents> gather(const session::Home& home, std::string_view id, Locks& locks);

}  // namespace magi::exporting
