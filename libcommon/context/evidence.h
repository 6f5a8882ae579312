// Requirement R7: the recorded-evidence note that follows a summary.
#pragma once

#include <string>

#include "libcommon/json/node.h"

namespace magi::context {

// Effects of more JSON bytes than this are described by the note alone.
inline constexpr std::size_t kMaxEffectsBytes = 64 * 1024;

// At most some 4,000 characters, whatever the effects hold.  Effects that are absent or not an object give a note that
// says the evidence is incomplete; none ever says that nothing was written.
std::string evidence_text(const json::Node& effects);

}  // namespace magi::context
