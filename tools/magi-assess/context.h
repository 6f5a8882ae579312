// Whether a hit is said to the reader or only talked about: quoted in an article, a test or a rule's own source.
#pragma once

#include <vector>

#include "tools/magi-assess/concepts.h"
#include "tools/magi-assess/fold.h"
#include "tools/magi-assess/hit.h"

namespace magi::assess {

// Lowers the weight of hits that are quoted amid words about attacks.  An attacker can imitate that; the assessor then
// sees less, which is why a discounted hit still counts beside others.
void discount_quoted(std::string_view source, const Folded& text, const std::vector<Word>& words, Hits& hits);

}  // namespace magi::assess
