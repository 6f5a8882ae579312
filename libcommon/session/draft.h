// A session that is written aside and then appears whole or not at all: for forks and imports.  Nobody else knows its
// ID before that, so it needs no lease.  A draft that is destroyed unpublished leaves nothing; one whose process is
// killed leaves a file `.tmp.<id>.draft`, which nothing reads.
//
// Blocking: disk, and bounded lock waits for event IDs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/base/clock.h"
#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"
#include "libcommon/json/node.h"
#include "libcommon/session/mask_fields.h"
#include "libcommon/session/paths.h"

namespace magi::session {

class Draft {
 public:
  static Result<Draft> create(const Home& home, Family family, std::int64_t (*now_ms)() = &unix_time_ms);
  Draft(Draft&&) noexcept;
  Draft& operator=(Draft&&) = delete;
  ~Draft();

  const std::string& id() const;

  // One more event, masked in place as by Batch::add(); its ID.  `timestamp`: RFC 3339.
  template <class Payload>
  Result<std::string> add(Payload& payload, std::string_view timestamp, std::string_view cwd) {
    mask_fields(payload);
    return add_line(Payload::kType, event::payload_json(payload), timestamp, cwd);
  }

  // A copy of an event of another session, whose line was parsed to `root`: byte for byte but for `event_id` and
  // `session_id`, which are this draft's, in the envelope and in an assessment.  kBadRecord: it is no event.
  Result<std::string> add_copy(const json::Node& root);

  // The session is there, on the disk, when this returns.  After an error was_published() tells whether it is there
  // although a crash may undo that.  Nothing may be added afterwards.
  Result<void> publish();
  bool was_published() const;

 private:
  struct Impl;
  explicit Draft(std::unique_ptr<Impl> impl);
  Result<std::string> add_line(std::string_view type, std::string payload, std::string_view timestamp,
                               std::string_view cwd);
  std::unique_ptr<Impl> impl_;
};

}  // namespace magi::session
