#include "tools/magi-code/prompt/instruction_files.h"

#include <unistd.h>

#include "tools/magi-code/prompt/text_file.h"

namespace magi::code {
namespace {

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

std::optional<InstructionFile> instructions_of(const std::string& root, const std::string& relative,
                                               std::size_t most_bytes) {
  std::optional<InstructionFile> refused;
  for (const char* name : {"AGENTS.md", "CLAUDE.md"}) {
    const std::string below = relative.empty() ? name : relative + "/" + name;
    auto text = read_text_below(root, below, most_bytes);
    if (text && text->find_first_not_of(" \t\r\n") != std::string::npos)
      return InstructionFile{root + "/" + below, *std::move(text), {}};
    // An AGENTS.md that is a link to the CLAUDE.md beside it is common: the file itself is read.
    if (text || text.error().code != ErrorCode::kUnsafe) {
      if (text) return std::nullopt;
      continue;
    }
    if (!refused) refused = InstructionFile{root + "/" + below, {}, text.error().what};
  }
  return refused;
}

std::vector<std::string> folders_down_to(const std::string& cwd) {
  std::vector<std::string> folders{cwd};
  for (std::string at = cwd; !exists(at + "/.git");) {
    const std::size_t slash = at.rfind('/');
    if (slash == std::string::npos || slash == 0) return {cwd};
    at.resize(slash);
    folders.insert(folders.begin(), at);
  }
  return folders;
}

}  // namespace magi::code
