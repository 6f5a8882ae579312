// What deletions that were cut short, by anyone, have left of sessions that are gone: sidecars, archives, locks and
// ledgers, where they are as old as what expires.
#pragma once

#include <cstdint>

#include "libcommon/session/ledger.h"
#include "libcommon/session/paths.h"
#include "libcommon/session/removal.h"

namespace magi::prune {

// Failures are counted, never an error: nothing depends on it.
void remove_remains(const session::Home& home, std::int64_t cut_off_ms, session::LedgerPruning& ledgers,
                    session::FailureCounts& failures);

}  // namespace magi::prune
