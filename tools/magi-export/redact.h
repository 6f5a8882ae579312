// Masks secrets of known shapes in JSON Lines as they are read (magi-export(1), --redact).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/io.h"

namespace magi::exporting {

// Reads the first `bytes` bytes of an open file.  A line too long to be ours is refused, never passed on unmasked.
class RedactingReader {
 public:
  RedactingReader(int fd, std::uint64_t bytes);

  // The next bytes, at most `size`; 0 at the end.
  Result<std::size_t> read(char* out, std::size_t size);
  std::int64_t masked() const { return masked_; }

 private:
  os::LineReader lines_;
  std::uint64_t bytes_;
  std::string line_;  // masked, with its LF
  std::size_t used_ = 0;
  std::int64_t masked_ = 0;
};

}  // namespace magi::exporting
