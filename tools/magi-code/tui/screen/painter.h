// Turns what the terminal shows into the next frame with few bytes: only cells that changed, scrolled rows moved
// instead of drawn, SGR only where it changes, the cursor placed absolutely at row starts and behind clusters whose
// width is uncertain.  Pure: bytes come out, nothing is written.  A frame is one synchronized update where the terminal
// knows these.  Expects the modes of enter_sequence(): no wrapping at the right edge.
#pragma once

#include <string>

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
  void invalidate() { known_ = false; }
  // These do so too.
  void set_theme(const Theme& theme);
  void set_capabilities(const Capabilities& capabilities);

 private:
  Capabilities capabilities_;
  Theme theme_;
  Surface shown_{0, 0};
  bool known_ = false;  // `shown_` is what the terminal shows
  bool cursor_visible_ = false;
};

}  // namespace magi::code::tui
