#include <algorithm>
#include <array>

#include "tools/magi-tool/call.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {

std::span<const Tool> all_tools() {
  // Copied on first use: the order in which the definitions of other sources come to be is not ours to know.
  static const std::array all{kRead, kWrite, kEdit, kPatch, kGrep, kFind, kListFiles, kBash, kBashJob, kOpen, kViewImage};
  return all;
}

const Tool* find_tool(std::string_view name) {
  const std::span<const Tool> all = all_tools();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Tool& one) { return one.name == name; });
  return found != all.end() ? &*found : nullptr;
}

}  // namespace magi::toolbox
