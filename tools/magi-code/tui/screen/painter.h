// Turns what the terminal shows into the next frame with few bytes: only cells that changed, scrolled regions moved
// instead of drawn, SGR only where it changes, the cursor placed absolutely where widths are uncertain.  Pure: bytes
// come out, nothing is written.  A frame is one synchronized update where the terminal knows these.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/magi-code/tui/screen/surface.h"
#include "tools/magi-code/tui/terminal/capabilities.h"
#include "tools/magi-code/tui/theme/theme.h"

namespace magi::code::tui {

class Painter {
 public:
  Painter(const Capabilities& capabilities, const Theme& theme);

  // Bytes from what was painted last to `next`; empty where nothing changed.  Another size paints everything.
  std::string paint(Surface next);
  // Forgets what the terminal shows: the next frame draws all of it.  After a resize, a resume, another program.
  void invalidate();
  void set_theme(const Theme& theme);
  void set_capabilities(const Capabilities& capabilities);

 private:
  const Look& look(Style style);

  Capabilities capabilities_;
  Theme theme_;
  Surface shown_;
  bool known_ = false;  // `shown_` is what the terminal shows
  bool cursor_visible_ = false;
  std::vector<Look> looks_;  // by packed style
};

}  // namespace magi::code::tui
