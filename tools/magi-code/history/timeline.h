// The points of a session that one can go back to: its prompts, and earlier rewinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/session/ledger.h"
#include "libcommon/session/paths.h"

namespace magi::code {

struct Moment {
  bool is_rewind = false;
  std::string turn_id;  // of a rewind: its `rewind_id`, which its change records have as their turn
  std::string event_id, timestamp;
  std::string text;              // of a prompt
  std::int64_t shell_calls = 0;  // that ran in the turn
};

struct Timeline {
  std::vector<Moment> moments;        // in the order of the session
  std::optional<std::size_t> wanted;  // the one that `to` means

  // The first change that was made at moments[from] or later; changes.size() where there is none.
  std::size_t first_change(const std::vector<session::Change>& changes, std::size_t from) const;
  const Moment* of_turn(std::string_view turn_id) const;
};

// Reads all of the session, as far as the newest compaction left it.  `to`: the ID of a prompt's or a rewind's event,
// of any other event (the turn that it belongs to is meant), or of a turn; empty: the last prompt.
Result<Timeline> read_timeline(const session::Home& home, std::string_view id, const std::string& to);

}  // namespace magi::code
