#include "tools/magi-code/front/json_sink.h"

#include <unistd.h>

#include "libcommon/os/io.h"

namespace magi::code {

bool JsonSink::flush() {
  if (!broken_) broken_ = !os::write_all(STDOUT_FILENO, line_).has_value();
  return !broken_;
}

}  // namespace magi::code
