// AGENTS.md of folders, and CLAUDE.md where no AGENTS.md stands beside it (L6).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace magi::code {

struct InstructionFile {
  std::string path;     // absolute
  std::string text;     // with a word about it where it was cut
  std::string refused;  // why there is no text: a link, or no regular file
};

// Of a folder of a repository; `relative` is below `root`, empty: that itself.  Nothing where there is neither file, or
// it is blank.
std::optional<InstructionFile> instructions_of(const std::string& root, const std::string& relative,
                                               std::size_t most_bytes);

// Folders from the repository's top (the nearest one that holds .git) down to `cwd`; `cwd` alone outside a repository.
std::vector<std::string> folders_down_to(const std::string& cwd);

}  // namespace magi::code
