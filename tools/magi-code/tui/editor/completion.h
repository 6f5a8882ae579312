// Completion behind the triggers `/`, `@`, `$` and `#`: the app gives candidates, the editor matches, shows and
// inserts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/screen/surface.h"

namespace magi::code::tui {

struct Candidate {
  std::string text;           // what stands behind the trigger: "compact", "src/main.cc"
  std::string detail;         // shown beside it
  bool more_follows = false;  // takes arguments, or is a folder: accepting it with Tab goes on instead of closing
};
using Candidates = std::vector<Candidate>;

// What is being completed: the editor asks for candidates of this trigger.
struct CompletionQuery {
  char trigger = 0;
  std::string query;  // behind the trigger
};

// How well `query` matches `text` as a subsequence, ignoring case: higher is better, negative: not at all.  Whole
// words, beginnings of words and path parts, runs and short texts count more.
int fuzzy_score(std::string_view query, std::string_view text);
// The byte offsets in `text` that match, for highlighting.
std::vector<std::size_t> fuzzy_places(std::string_view query, std::string_view text);

}  // namespace magi::code::tui
