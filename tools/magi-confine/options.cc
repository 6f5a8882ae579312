#include "tools/magi-confine/options.h"

#include <fcntl.h>

#include "libcommon/tool/options.h"
#include "libcommon/tool/report.h"
#include "tools/magi-confine/landlock.h"

namespace magi::confine {
namespace {

constexpr const char* kName = "magi-confine";

std::optional<int> check(const Options& options) {
  const auto usage = [](auto... parts) { return tool::report(kName, make_error(ErrorCode::kUsage, parts...)); };
  for (const auto* paths : {&options.write, &options.hide})
    for (const std::string& path : *paths)
      if (path.front() != '/') return usage(quoted(path), ": not an absolute path");
  if (options.private_tmp && options.private_tmp->front() != '/') return usage("--private-tmp: not an absolute path");
  for (const int fd : {options.status_fd, options.host_fd})
    if (fd >= 0 && fcntl(fd, F_GETFD) < 0) return usage("no open descriptor ", std::to_string(fd));
  if (options.command.empty() && !options.probe) return usage("no command given");
  return std::nullopt;
}

}  // namespace

Parsed parse_options(int argc, char** argv) {
  Parsed parsed;
  Options& options = parsed.options;
  std::optional<std::int64_t> status_fd, host_fd, landlock_limit;
  tool::OptionParser parser(kName, "Run one command confined, and end it with everything it started.");
  parser.option("--write", options.write, "DIR", "allow writing beneath DIR, and nowhere else");
  parser.option("--private-tmp", options.private_tmp, "DIR", "allow writing beneath DIR and make it TMPDIR");
  parser.option("--hide", options.hide, "PATH", "refuse reading PATH and what is beneath it");
  parser.flag("--no-network", options.no_network, "refuse sockets other than local ones");
  parser.flag("--probe", options.probe, "say what can be confined here, and run nothing");
  parser.option("--landlock-abi", landlock_limit, "N", "use no Landlock ABI above N").range(0, kNewestAbi);
  parser.option("--means", options.means, "MEANS", "confine with landlock or bubblewrap; auto: the first that can")
      .choices({"auto", "landlock", "bubblewrap"});
  parser.group("For the program that starts it");
  parser.option("--status-fd", status_fd, "N", "report start and exit of the command on descriptor N").range(3, 1023);
  parser.option("--host-fd", host_fd, "N", "end everything when descriptor N reaches its end").range(3, 1023);
  parser.operand("COMMAND", options.command, "the command and its arguments, behind --");
  parsed.exit_status = parser.parse(argc, argv);
  if (parsed.exit_status) return parsed;
  options.landlock_limit = static_cast<int>(landlock_limit.value_or(kNewestAbi));
  options.status_fd = static_cast<int>(status_fd.value_or(-1));
  options.host_fd = static_cast<int>(host_fd.value_or(-1));
  parsed.exit_status = check(options);
  return parsed;
}

}  // namespace magi::confine
