// The output of `git diff -z --raw --patch`: entries, then one patch for each.  Pure; paths are as the disk has them.
#pragma once

#include <string_view>
#include <vector>

#include "tools/magi-code/tui/panel/data.h"

namespace magi::code::tui {

// Patches of more bytes are cut.
inline constexpr std::size_t kMostPatchBytes = 512 * 1024;

// `cut`: the text ends before the output did; what is incomplete says so.
std::vector<DiffFile> parse_diff_output(std::string_view text, bool cut);

// A file that git does not know, as a patch that adds it.  `content` is what was read of it; `cut`: there is more.
void show_as_added(DiffFile& file, std::string_view content, bool cut);

// Counts the added and removed lines of a patch, which is then cut to its bound.
void finish_patch(DiffFile& file);

}  // namespace magi::code::tui
