// Session files of other agents, converted and replayed as magi-replay --from does.
#pragma once

#include <string>
#include <string_view>

#include "tests/unit/context/replay_support.h"
#include "tools/magi-replay/foreign.h"

namespace magi::replay::test {

// `notices` are those of the conversion, then those of the replay; `end.read` counts the foreign lines.
context::test::Replayed convert(std::string_view file, ForeignFormat format);

}  // namespace magi::replay::test
