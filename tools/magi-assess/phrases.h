// Instructions told by the order of what their words mean, in any language of the vocabulary.
#pragma once

#include <string_view>

#include "tools/magi-assess/concepts.h"
#include "tools/magi-assess/fold.h"
#include "tools/magi-assess/hit.h"

namespace magi::assess {

// Linear in the words: each rule looks a bounded number of words ahead.
void find_phrases(const Folded& text, const std::vector<Word>& words, Hits& hits);

}  // namespace magi::assess
