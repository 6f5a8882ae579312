#include "tools/magi-replay/session_input.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "libcommon/os/io.h"
#include "libcommon/session/paths.h"

namespace magi::replay {
namespace {

constexpr std::string_view kChildPrefix = "child:";

Result<os::Fd> spool(int from, const std::string& folder) {
  MAGI_TRY(os::Fd file, unnamed_file(folder));
  std::vector<char> block(256 * 1024);
  while (true) {
    MAGI_TRY(const std::size_t count, os::read_some(from, block.data(), block.size()));
    if (count == 0) break;
    MAGI_CHECK(os::write_all(file.get(), {block.data(), count}));
  }
  if (::lseek(file.get(), 0, SEEK_SET) < 0) return errno_error("cannot read the temporary file", errno);
  return file;
}

// `fd` itself where it can be read twice, else a copy of what it gives.
Result<SessionInput> readable_twice(os::Fd fd, const config::Environment& environment) {
  struct stat status {};
  if (::fstat(fd.get(), &status) < 0) return errno_error("cannot read the session", errno);
  if (S_ISDIR(status.st_mode)) return errno_error("cannot read the session", EISDIR);
  if (S_ISREG(status.st_mode)) {
    if (const off_t at = ::lseek(fd.get(), 0, SEEK_CUR); at >= 0)
      return SessionInput{std::move(fd), static_cast<std::uint64_t>(at), ""};
  }
  MAGI_TRY(os::Fd copy, spool(fd.get(), temporary_folder(environment)));
  return SessionInput{std::move(copy), 0, ""};
}

Result<SessionInput> from_stdin(const config::Environment& environment) {
  MAGI_TRY(os::Fd fd, os::duplicate(STDIN_FILENO));
  return readable_twice(std::move(fd), environment);
}

Result<SessionInput> from_home(std::string_view operand, const std::optional<std::string>& home_option,
                               const config::Environment& environment) {
  auto family = session::Family::kPrimary;
  if (operand.substr(0, kChildPrefix.size()) == kChildPrefix) {
    family = session::Family::kChild;
    operand.remove_prefix(kChildPrefix.size());
  }
  MAGI_CHECK(session::check_session_id(operand));
  MAGI_TRY(std::string root, environment.state_home(home_option));
  const session::Home home(std::move(root));
  MAGI_TRY(os::Fd fd, session::open_session_for_reading(home, operand, family));
  return SessionInput{std::move(fd), 0, std::string(operand)};
}

}  // namespace

Result<os::Fd> unnamed_file(const std::string& folder) {
  if (os::Fd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)); fd) return fd;
  std::string path = folder + "/magi-replay-XXXXXX";
  os::Fd fd(::mkostemp(path.data(), O_CLOEXEC));
  if (!fd) return errno_error("cannot make a temporary file in " + quoted(folder), errno);
  ::unlink(path.c_str());
  return fd;
}

std::string temporary_folder(const config::Environment& environment) {
  return std::string(environment.get_or("TMPDIR", "/tmp"));
}

Result<SessionInput> open_input(const std::optional<std::string>& operand, const std::optional<std::string>& home,
                                const config::Environment& environment) {
  const bool is_id = operand && *operand != "-" && operand->find_first_of("/.") == std::string::npos;
  return is_id ? from_home(*operand, home, environment) : open_file_input(operand, environment);
}

Result<SessionInput> open_file_input(const std::optional<std::string>& operand,
                                     const config::Environment& environment) {
  if (!operand && ::isatty(STDIN_FILENO))
    return make_error(ErrorCode::kUsage, "no session: give a session ID or a file, or pipe one to stdin");
  if (!operand || *operand == "-") return from_stdin(environment);
  os::Fd fd(::open(operand->c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return errno_error("cannot open " + quoted(*operand), errno);
  return readable_twice(std::move(fd), environment);
}

}  // namespace magi::replay
