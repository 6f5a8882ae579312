// The seccomp filter: what Landlock does not rule.  Sockets of the network, io_uring (which would pass by the filter),
// new namespaces, and calls that change files by other means than opening them.
#pragma once

#include <optional>

#include "libcommon/base/result.h"
#include "libcommon/os/fd.h"

#include <string>

namespace magi::confine {

struct FilterPolicy {
  bool files = false;    // Landlock confines files: close the ways around it
  bool network = false;  // refuse sockets other than local ones
  int landlock_abi = 0;
};

// The code of a filter for what bubblewrap confines: files are its own matter, so connections to local sockets, which
// are none, are refused altogether.  Bytes for its --seccomp.
std::string wrapped_filter(bool network);

// Installs the filter on the calling thread.  With `files`, changes of modes, owners and times and connections are
// handed to the broker (broker.h) through the descriptor that is returned; an empty one means that another filter of
// the process already has a listener, and those calls are refused altogether.
// kDenied where the kernel cannot filter.  Requires: no_new_privs is set.
Result<os::Fd> install_filter(const FilterPolicy& policy);

}  // namespace magi::confine
