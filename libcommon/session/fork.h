// A new session that begins as another one does (contracts, section 4: `event_id` and `session_id` are new there, in
// envelopes and in assessments; turn, call and result IDs stay).  The source is only read, and no lock on it is taken:
// what it holds at one moment is copied.  A checkpoint goes on naming the archive of the session that it came from.
// The changes of files that the copied calls made are in the fork's ledger too; their blobs are shared.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "libcommon/base/clock.h"
#include "libcommon/base/result.h"
#include "libcommon/session/draft.h"
#include "libcommon/session/paths.h"

namespace magi::session {

struct ForkOptions {
  std::string before;  // this event and what follows it are left out; empty: nothing is
  Family family = Family::kPrimary;
  std::int64_t (*now_ms)() = &unix_time_ms;
  // May add events behind the copied ones, before the fork appears.
  std::function<Result<void>(Draft&)> finish = {};
};

struct Forked {
  std::string id;
  std::uint64_t events = 0;         // copied
  std::uint64_t skipped_lines = 0;  // no events: left out, a torn tail among them
};

// kNotFound: no such session or event; kBadRecord: the source holds no event.  Where the ledger cannot be copied, the
// error names the fork, which stays.  Reads and writes all of the session;
// memory is bounded by its longest line.
Result<Forked> fork_session(const Home& home, std::string_view source_id, const ForkOptions& options);

}  // namespace magi::session
