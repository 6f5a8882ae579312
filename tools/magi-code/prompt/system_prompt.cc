#include "tools/magi-code/prompt/system_prompt.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "libcommon/base/clock.h"
#include "libcommon/base/utf8.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "libcommon/session/paths.h"
#include "libcommon/tool/prompts.h"

namespace magi::code {
namespace {

constexpr std::size_t kMaxFileBytes = 64 * 1024;

// A regular file's text, cut to 64 KiB.  `flags` may hold O_NOFOLLOW.
Result<std::string> read_text(const std::string& path, int flags = 0) {
  const os::Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags));
  if (!fd) return errno_error("cannot open " + quoted(path), errno);
  struct stat info {};
  if (fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return make_error(ErrorCode::kIo, quoted(path), " is no regular file");
  std::string text(kMaxFileBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    MAGI_TRY(const std::size_t bytes, os::read_some(fd.get(), text.data() + size, text.size() - size));
    if (bytes == 0) break;
    size += bytes;
  }
  text.resize(size);
  if (size <= kMaxFileBytes) return utf8::sanitize(text);
  text.resize(utf8::floor_boundary(text, kMaxFileBytes));
  return utf8::sanitize(text) + "\n[cut at 64 KiB]\n";
}

void append_section(std::string& out, const std::string& title, const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  out += "\n\n# " + title + "\n\n" + text;
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Folders from the repository's top (the nearest one that holds .git) down to `cwd`; `cwd` alone outside a repository.
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

// A repository's file is not followed: a link could name any file of the user's.
void append_repository_instructions(std::string& out, const std::string& cwd) {
  for (const std::string& folder : folders_down_to(cwd))
    if (auto text = read_text(folder + "/AGENTS.md", O_NOFOLLOW))
      append_section(out, "Instructions of the project: " + folder + "/AGENTS.md", *text);
}

std::string surroundings(const PromptSources& sources) {
  std::string text = "Working directory: " + sources.cwd + "\nGit repository: " +
                     (folders_down_to(sources.cwd).size() > 1 || exists(sources.cwd + "/.git") ? "yes" : "no");
  text += "\nDate: " + format_rfc3339(unix_time_ms()).substr(0, 10);
  return text + "\nPermissions: " + sources.permissions + "\n";
}

}  // namespace

Result<std::string> build_instructions(const PromptSources& sources) {
  std::string out;
  if (sources.replacement_file) {
    auto text = read_text(*sources.replacement_file);
    if (!text) return make_error(ErrorCode::kUsage, "--system-prompt-file: ", text.error().what);
    out = *std::move(text);
  } else {
    MAGI_TRY(out, tool::load_prompt(session::Home(sources.home).prompts(), "system"));
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  append_section(out, "Surroundings", surroundings(sources));
  if (auto own = read_text(session::Home(sources.home).instructions()))
    append_section(out, "Instructions of the user", *own);
  append_repository_instructions(out, sources.cwd);
  if (sources.addition) append_section(out, "Additional instructions", utf8::sanitize(*sources.addition));
  return out;
}

}  // namespace magi::code
