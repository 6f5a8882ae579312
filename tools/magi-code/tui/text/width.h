// Grapheme clusters and the columns they take on a terminal's grid.  Terminals do not agree on clusters of several code
// points: `uncertain` marks those after which the cursor's place must not be relied on.
// Texts are UTF-8; an invalid byte counts as one cluster of one column (visible() has replaced them before drawing).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace magi::code::tui {

struct Cluster {
  std::size_t bytes = 0;   // at least 1
  int columns = 0;         // 0 (a mark without a base, or a control character), 1 or 2
  int most_columns = 0;    // as a terminal that adds up code points would have it; at least `columns`
  bool uncertain = false;  // terminals differ about its columns
};
// Requires: at < text.size(), at the start of a cluster.
Cluster cluster_at(std::string_view text, std::size_t at);
// Where the cluster begins that ends at `at`; 0 for 0.
std::size_t cluster_before(std::string_view text, std::size_t at);

// Columns of the whole text, which stands on one line.
int columns_of(std::string_view text);

// The longest prefix of whole clusters that fits: its bytes and columns.
struct Cut {
  std::size_t bytes = 0;
  int columns = 0;
};
Cut cut_to_columns(std::string_view text, int columns);

// At most `columns` wide; where something is left out, the last column is an ellipsis.
std::string shorten(std::string_view text, int columns);
// The same with the ellipsis in front and the end kept: for paths.
std::string shorten_front(std::string_view text, int columns);
// Exactly `columns` wide: shortened, or filled with blanks on the right (pad) or on the left (pad_left).
std::string pad(std::string_view text, int columns);
std::string pad_left(std::string_view text, int columns);

}  // namespace magi::code::tui
