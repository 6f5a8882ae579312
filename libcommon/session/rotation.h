// Replacing what has been summarised of a session by its checkpoint (requirement C3), so that nothing can be lost:
//
//     MAGI_TRY(auto rotation, Rotation::begin(home, id, family, std::nullopt));
//     MAGI_CHECK(rotation.archive(go_on));  // slow, without the mutation lock; may run beside what follows
//     ... make the summary of the first rotation.snapshot_bytes() bytes ...
//     MAGI_TRY(const Rotated done, rotation.publish(checkpoint, generation, cwd));  // milliseconds under it
//
// Until publish() has renamed, the old file is the session, byte for byte; from then on the new one is, and the archive
// with the old bytes is on the disk before.  Events that the lease's holder appends meanwhile are carried over.
// Destroying an unpublished rotation takes everything back.  What a killed one leaves (an archive that nothing refers
// to, temporary files in the session's history folder) is replaced by the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/clock.h"
#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"
#include "libcommon/os/fd.h"
#include "libcommon/session/paths.h"

namespace magi::session {

struct Rotated {
  std::string event_id;                  // of the checkpoint
  std::uint64_t length = 0;              // of the new session file
  std::uint64_t carried_over_bytes = 0;  // of events appended after the snapshot
};

class Rotation {
 public:
  // Takes the lease, or adopts the caller's.  The snapshot is what the session holds now.  kNotFound, kBusy, kUnsafe.
  static Result<Rotation> begin(const Home& home, std::string_view id, Family family, std::optional<os::Fd> lease);
  Rotation(Rotation&&) noexcept;
  Rotation& operator=(Rotation&&) = delete;
  ~Rotation();

  // Of the session file: for reading the snapshot with pread.
  int fd() const;
  std::uint64_t snapshot_bytes() const;

  // Copies the snapshot and hashes it in the same pass; the copy is on the disk when this returns, under a temporary
  // name.  `go_on` is told how many bytes are done; where it says false the error is kCancelled.  Memory: 8 MiB.
  Result<void> archive(const std::function<bool(std::uint64_t)>& go_on);

  // Gives the checkpoint its generation and archive, masks secrets in it and makes it the first event of the session.
  // `generation` is that of the snapshot, `cwd` goes into the envelope.  Requires: archive() has succeeded.  After an
  // error was_published() tells which state stands: where it is true, the new one does, and only its durability is in
  // doubt.
  Result<Rotated> publish(event::Compaction& checkpoint, std::int64_t generation, const std::string& cwd,
                          std::int64_t (*now_ms)() = &unix_time_ms);
  bool was_published() const;

 private:
  struct Impl;
  explicit Rotation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace magi::session
