// The one gate between texts of models, tools, files and people and the screen (SEC-06): what comes out moves no
// cursor, sets no title, fills no clipboard and turns no direction.  Whatever is drawn has passed it.
//
// - Escape sequences (colours, cursor, strings for the terminal such as titles and clipboards) go, with what they hold;
//   of a string without an end only its introducer;
// - other control characters of C0 become pictures of themselves (U+2400 ..), those of C1 and what is not UTF-8, also
//   raw bytes 80-9F, become U+FFFD;
// - bidirectional overrides and embeddings, tags and other hidden formatting become U+FFFD; invisible separators and
//   direction marks go; joiners and variation selectors stay where they join something;
// - of a run of combining marks the first few stay, and a mark without a base gets a dotted circle.
// Where a person decides by what is shown (approvals), use harmless() of libcommon/base, which spells all of this out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace magi::code::tui {

inline constexpr int kTabColumns = 4;

// One line for the screen: line ends inside become a blank, a tab blanks up to the next stop, counted from `column`.
std::string visible(std::string_view text, int column = 0);

// What a CR does that no LF follows.
enum class BareReturn : std::uint8_t {
  kShow,       // is shown, as a picture
  kStartOver,  // starts its line over, as terminals do: of progress bars the last state remains
};
// Split at LF and CR LF; never empty.
std::vector<std::string> visible_lines(std::string_view text, BareReturn bare = BareReturn::kShow);

// The same as one text: line ends become LF, tabs stay.  For the clipboard and for searches.
std::string visible_text(std::string_view text);

}  // namespace magi::code::tui
