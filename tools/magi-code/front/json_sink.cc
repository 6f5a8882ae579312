#include "tools/magi-code/front/json_sink.h"

#include <unistd.h>

#include "libcommon/os/io.h"

namespace magi::code {

Result<void> JsonSink::flush() {
  if (broken_) return *broken_;
  auto written = os::write_all(STDOUT_FILENO, line_);
  if (!written) broken_ = written.error();
  return written;
}

}  // namespace magi::code
