// From the engine and the workers to the interface: a queue that wakes the one who reads it.
#pragma once

#include <mutex>
#include <vector>

#include "libcommon/os/fd.h"
#include "tools/magi-code/tui/app/engine_event.h"

namespace magi::code::tui {

class Mailbox {
 public:
  Mailbox();

  // From any thread.  Text that follows text is joined to it, so that a slow reader costs memory for the text alone.
  void push(EngineEvent event);

  // Readable while something may be there.
  int fd() const { return wake_.get(); }
  std::vector<EngineEvent> take();

 private:
  std::mutex mutex_;
  std::vector<EngineEvent> events_;
  os::Fd wake_;
};

}  // namespace magi::code::tui
