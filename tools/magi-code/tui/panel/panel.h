// A pane that stands over the transcript or beside it and takes the keys while it is open.  Pure: it changes its own
// state and returns effects.  One pane a file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tools/magi-code/tui/panel/data.h"
#include "tools/magi-code/tui/panel/effect.h"
#include "tools/magi-code/tui/screen/surface.h"
#include "tools/magi-code/tui/terminal/input_event.h"

namespace magi::code::tui {

struct PanelAnswer {
  bool close = false;
  Effects effects;
};

class Panel {
 public:
  virtual ~Panel() = default;
  virtual std::string title() const = 0;
  // What to load when it opens.
  virtual Effects opened() { return {}; }
  // Every key comes here while the panel is open; Escape closes it unless it handles the key itself.
  virtual PanelAnswer key(const Key& key) = 0;
  virtual PanelAnswer paste(const Paste& /*paste*/) { return {}; }
  // What it asked to have loaded, or what has changed since.  Foreign and late answers may come: each panel takes what
  // is its own.
  virtual PanelAnswer take(const Loaded& /*loaded*/) { return {}; }
  virtual PanelAnswer mouse(const Mouse& /*mouse*/, Rect /*area*/) { return {}; }
  // Draws into `area`; may set the cursor.
  virtual void draw(Surface& surface, Rect area) const = 0;
};

}  // namespace magi::code::tui
