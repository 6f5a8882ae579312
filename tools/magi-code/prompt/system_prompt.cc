#include "tools/magi-code/prompt/system_prompt.h"

#include <unistd.h>

#include "libcommon/base/clock.h"
#include "libcommon/base/utf8.h"
#include "libcommon/session/paths.h"
#include "libcommon/tool/prompts.h"
#include "tools/magi-code/prompt/instruction_files.h"
#include "tools/magi-code/prompt/text_file.h"

namespace magi::code {
namespace {

constexpr std::size_t kMaxFileBytes = 64 * 1024;

void append_section(std::string& out, const std::string& title, const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  out += "\n\n# " + title + "\n\n" + text;
}

// What comes from a repository says so: it is not the user's word.
void append_repository_instructions(std::string& out, const std::string& cwd) {
  for (const std::string& folder : folders_down_to(cwd)) {
    const auto file = instructions_of(folder, {}, kMaxFileBytes);
    if (!file) continue;
    append_section(out, "Instructions of the project: " + file->path,
                   file->refused.empty() ? file->text : "[not read: " + file->refused + "]");
  }
}

std::string surroundings(const PromptSources& sources) {
  std::string text =
      "Working directory: " + sources.cwd + "\nGit repository: " +
      (folders_down_to(sources.cwd).size() > 1 || access((sources.cwd + "/.git").c_str(), F_OK) == 0 ? "yes" : "no");
  text += "\nDate: " + format_rfc3339(unix_time_ms()).substr(0, 10);
  return text + "\nPermissions: " + sources.permissions + "\n";
}

}  // namespace

Result<std::string> build_instructions(const PromptSources& sources) {
  std::string out;
  if (sources.replacement_file) {
    auto text = read_text_file(*sources.replacement_file, kMaxFileBytes, Links::kFollow);
    if (!text) return make_error(ErrorCode::kUsage, "--system-prompt-file: ", text.error().what);
    out = *std::move(text);
  } else {
    MAGI_TRY(out, tool::load_prompt(session::Home(sources.home).prompts(), "system"));
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  append_section(out, "Surroundings", surroundings(sources));
  if (auto own = read_text_file(session::Home(sources.home).instructions(), kMaxFileBytes, Links::kFollow))
    append_section(out, "Instructions of the user", *own);
  append_repository_instructions(out, sources.cwd);
  append_section(out, "Skills", sources.skills);
  if (sources.addition) append_section(out, "Additional instructions", utf8::sanitize(*sources.addition));
  return out;
}

}  // namespace magi::code
