// The state as a screen.  Laying out keeps caches in the state, nothing else changes.
#pragma once

#include "tools/magi-code/tui/app/state.h"
#include "tools/magi-code/tui/screen/surface.h"

namespace magi::code::tui {

Surface view(State& state);

}  // namespace magi::code::tui
