#include "tools/magi-confine/bubblewrap.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "libcommon/os/child.h"
#include "libcommon/os/io.h"
#include "tools/magi-confine/filter.h"
#include "tools/magi-confine/landlock.h"

namespace magi::confine {
namespace {

constexpr std::string_view kUsualPath = "/usr/local/bin:/usr/bin:/bin";

Result<os::Fd> filter_file(bool network) {
  os::Fd file(::memfd_create("magi-confine", MFD_CLOEXEC));
  if (!file) return errno_error("cannot confine: memfd_create", errno);
  MAGI_CHECK(os::write_all(file.get(), wrapped_filter(network)));
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return errno_error("cannot confine: lseek", errno);
  return file;
}

}  // namespace

Result<Wrapper> make_wrapper(const Options& options, const std::vector<std::string>& writable,
                             const std::string& path) {
  auto program = os::find_executable("bwrap", path + ':' + std::string(kUsualPath));
  if (!program) return make_error(ErrorCode::kDenied, "cannot confine: bubblewrap (bwrap) is not installed");
  Wrapper wrapper;
  wrapper.argv = {*std::move(program),
                  "--die-with-parent",
                  "--unshare-pid",
                  "--unshare-ipc",
                  "--unshare-uts",
                  "--cap-drop",
                  "ALL",
                  "--ro-bind",
                  "/",
                  "/",
                  "--dev",
                  "/dev",
                  "--proc",
                  "/proc"};
  const auto add = [&](std::initializer_list<std::string> words) {
    wrapper.argv.insert(wrapper.argv.end(), words.begin(), words.end());
  };
  if (options.no_network) add({"--unshare-net"});
  for (const std::string& folder : writable)
    if (!is_beneath(folder, "/dev")) add({"--bind", folder, folder});
  for (const std::string& hidden : options.hide) {
    const std::string real = resolve_existing(hidden);
    struct stat status {};
    if (::lstat(real.c_str(), &status) != 0) continue;
    if (S_ISDIR(status.st_mode))
      add({"--tmpfs", real, "--remount-ro", real});
    else
      add({"--ro-bind", "/dev/null", real});
  }
  const std::unique_ptr<char, void (*)(void*)> cwd(::getcwd(nullptr, 0), std::free);
  add({"--chdir", cwd ? cwd.get() : "/", "--seccomp", std::to_string(kFilterFd), "--"});
  MAGI_TRY(wrapper.filter, filter_file(options.no_network));
  return wrapper;
}

}  // namespace magi::confine
