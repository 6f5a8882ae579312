// bubblewrap, bwrap(1), as the means of confinement where the kernel has no Landlock: a file system that is read-only
// but for some folders, with namespaces of its own for processes and the network.
#pragma once

#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"
#include "tools/magi-confine/options.h"

namespace magi::confine {

// The descriptor on which bwrap finds the filter.
inline constexpr int kFilterFd = 3;

struct Wrapper {
  std::vector<std::string> argv;  // stands before the command; empty: nothing is wrapped
  os::Fd filter;                  // to be given as kFilterFd
};

// kDenied where bwrap is missing.  Whether it may make namespaces here only shows when it runs.
Result<Wrapper> make_wrapper(const Options& options, const std::vector<std::string>& writable, const std::string& path);

}  // namespace magi::confine
