// Commands that are another tool's: magi-code finds it and hands it its own streams.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/command/assembly.h"

namespace magi::code {

// Runs the tool with the home and `arguments` on magi-code's standard streams until it ends; its exit status.  Keys of
// providers are in its environment only where `with_keys`.
Result<int> run_tool(const Setting& setting, std::string_view program, std::vector<std::string> arguments,
                     bool with_keys);

// Requirement N4: where the settings limit how long sessions are kept, magi-prune is started and left to itself.  What
// goes wrong there is nobody's trouble here.
void start_cleanup(const Setting& setting);

}  // namespace magi::code
