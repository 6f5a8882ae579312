#include "tools/magi-code/prompt/prompt_input.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcommon/base/utf8.h"
#include "libcommon/os/io.h"

namespace magi::code {
namespace {

constexpr std::size_t kMaxInputBytes = 16u * 1024 * 1024;
constexpr int kSilenceMs = 1000;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

bool is_pipe_or_file() {
  struct stat info {};
  return fstat(STDIN_FILENO, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || S_ISREG(info.st_mode));
}

// False when nothing, not even the end, comes within the time.
bool speaks() {
  pollfd entry{STDIN_FILENO, POLLIN, 0};
  return poll(&entry, 1, kSilenceMs) != 0;
}

}  // namespace

Result<PromptInput> read_prompt(const std::string& text, StdinUse use) {
  PromptInput input;
  const bool may_read =
      use == StdinUse::kWait || use == StdinUse::kWhole || (use == StdinUse::kAuto && is_pipe_or_file());
  std::string before;
  if (may_read) {
    if (use == StdinUse::kAuto && !speaks()) {
      input.stdin_left_alone = true;
    } else {
      auto bytes = os::read_all(STDIN_FILENO, kMaxInputBytes);
      if (!bytes) return make_error(bytes.error().code, "cannot read standard input: ", bytes.error().what);
      before = utf8::sanitize(*bytes);
    }
  }
  if (use == StdinUse::kWhole)
    input.text = std::move(before);
  else if (is_blank(before))
    input.text = utf8::sanitize(text);
  else
    input.text = before + (before.back() == '\n' ? "\n" : "\n\n") + utf8::sanitize(text);
  if (is_blank(input.text)) return make_error(ErrorCode::kUsage, "the prompt is empty");
  return input;
}

}  // namespace magi::code
