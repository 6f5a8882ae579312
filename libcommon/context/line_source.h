// Where the bytes of a session come from the second time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::context {

class LineSource {
 public:
  virtual ~LineSource() = default;
  // The `size` bytes at `offset`, valid until the next call.  Error: they are not there any more.
  virtual Result<std::string_view> fetch(std::uint64_t offset, std::size_t size) = 0;
};

}  // namespace magi::context
