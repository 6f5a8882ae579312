// Text that a person who looks at a page or a file does not see.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/magi-assess/fold.h"
#include "tools/magi-assess/hit.h"

namespace magi::assess {

struct Region {
  std::uint32_t begin, end;  // source bytes
  std::string_view rule;     // how it is hidden

  // One click away, or shown where images are not.
  bool is_folded() const { return rule == "hidden.collapsed" || rule == "hidden.image-text" || rule == "hidden.meta"; }
};

// Comments of HTML and Markdown, elements that styles or attributes hide, image descriptions, and runs of characters
// that show nothing.  In order of their beginning.  Linear.
std::vector<Region> find_hidden(std::string_view source, const Folded& text);

// An instruction that nobody sees is worse than the same one in the open: adds a hit for each region that holds one.
void add_hidden(const std::vector<Region>& regions, Hits& hits);

}  // namespace magi::assess
