// Calls that a signal may interrupt.
#pragma once

#include <cerrno>

namespace magi::os {

// Makes `call`, which returns -1 and sets errno on failure, again for as long as it fails with EINTR.
template <class Call>
auto retry(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace magi::os
