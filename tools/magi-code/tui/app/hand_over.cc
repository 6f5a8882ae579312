#include "tools/magi-code/tui/app/hand_over.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "libcommon/os/child.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "tools/magi-code/command/other_tools.h"

namespace magi::code::tui {
namespace {

constexpr std::size_t kMostBytes = 16 * 1024 * 1024;

// Ctrl-C and Ctrl-\ are for the other program.
class KeysIgnored {
 public:
  KeysIgnored() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
  }
  ~KeysIgnored() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
  }
  KeysIgnored(const KeysIgnored&) = delete;
  KeysIgnored& operator=(const KeysIgnored&) = delete;

 private:
  struct sigaction interrupt_, quit_;
};

// A file of the user's own that is gone when this is.
class ScratchFile {
 public:
  static Result<ScratchFile> create(const std::string& folder, const std::string& text) {
    std::string path = folder + "/magi-prompt-XXXXXX.md";
    const os::Fd file(mkostemps(path.data(), 3, O_CLOEXEC));
    if (!file) return errno_error("cannot write in " + quoted(folder), errno);
    ScratchFile made(std::move(path));
    MAGI_CHECK(os::write_all(file.get(), text));
    return made;
  }
  ScratchFile(ScratchFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFile& operator=(ScratchFile&&) = delete;
  ~ScratchFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }

  const std::string& path() const { return path_; }
  Result<std::string> read() const {
    const os::Fd file(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return errno_error("cannot read " + quoted(path_), errno);
    return os::read_all(file.get(), kMostBytes);
  }

 private:
  explicit ScratchFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

void wait_for_enter() {
  (void)os::write_all(STDOUT_FILENO, "\nEnter goes back. ");
  char byte = 0;
  while (true) {
    const auto size = os::read_some(STDIN_FILENO, &byte, 1);
    if (!size || *size == 0 || byte == '\n' || byte == '\r') return;
  }
}

}  // namespace

Result<std::string> edit_externally(const Setting& setting, const std::string& text) {
  const config::Environment& environment = setting.environment;
  const std::string editor(environment.get_or("VISUAL", environment.get_or("EDITOR", "vi")));
  MAGI_TRY(const ScratchFile scratch, ScratchFile::create(std::string(environment.get_or("TMPDIR", "/tmp")), text));
  os::SpawnOptions options;
  options.program = "/bin/sh";
  // The variable may hold options, as in "code --wait".
  options.args = {"-c", editor + " \"$1\"", "editor", scratch.path()};
  options.env = setting.environment_without_keys();
  options.cwd = setting.cwd;
  options.stdin_fd = STDIN_FILENO;
  options.stdout_fd = STDOUT_FILENO;
  options.stderr_fd = STDERR_FILENO;
  const KeysIgnored ignored;
  MAGI_TRY(os::Child child, os::spawn(options));
  MAGI_TRY(const int status, child.wait());
  if (const int code = os::exit_code_of(status); code != 0)
    return make_error(ErrorCode::kIo, quoted(editor), " ended with ", std::to_string(code),
                      "; the prompt is as it was");
  MAGI_TRY(std::string edited, scratch.read());
  while (!edited.empty() && edited.back() == '\n') edited.pop_back();
  return edited;
}

Result<int> run_on_terminal(const Setting& setting, const std::string& program, const std::vector<std::string>& args) {
  const KeysIgnored ignored;
  Result<int> status = run_tool(setting, program, args, true);
  if (!status || *status != kExitOk) wait_for_enter();
  return status;
}

}  // namespace magi::code::tui
