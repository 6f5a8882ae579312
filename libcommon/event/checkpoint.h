// When a `compaction` event is a checkpoint that replaces what stands before it (magi-session(5)).
#pragma once

#include <cstdint>
#include <optional>

#include "libcommon/base/result.h"
#include "libcommon/json/node.h"

namespace magi::event {

// The generation that the checkpoint starts.  Valid: `summary` is not blank, `generation` is an integer above `newest`
// (that of the newest valid checkpoint before it), `archive` is well formed.  Whether the archive exists does not
// matter, nor do the effects.  Error kBadRecord: why it is passed over.
Result<std::int64_t> checkpoint_generation(const json::Node& payload, std::optional<std::int64_t> newest);

}  // namespace magi::event
