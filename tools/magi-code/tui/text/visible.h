// The one gate between texts of models, tools, files and people and the screen (SEC-06): what comes out moves no
// cursor, sets no title, fills no clipboard and hides no direction.  Whatever is drawn has passed it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace magi::code::tui {

inline constexpr int kTabColumns = 4;

// One line for the screen: LF and CR LF inside become a blank.
// - Escape sequences of colour and cursor (CSI), strings for the terminal (OSC, DCS, APC, PM, SOS) go, with all they
// hold;
// - other control characters, C0 and C1, also the raw bytes 80-9F, become a picture of themselves (U+2400 ..) or
// U+FFFD;
// - bidirectional controls, invisible operators and line separators become U+FFFD; joiners and variation selectors
//   stay where they join something;
// - a tab becomes blanks up to the next stop, counted from `column`; invalid UTF-8 becomes U+FFFD;
// - of a long run of combining marks only the first few stay.
std::string visible(std::string_view text, int column = 0);

// The same for text of several lines: split at LF, CR LF, and a bare CR, which starts over the line it stands in the
// way terminals show it (progress bars): only what stands behind the last CR remains.  Never empty.
std::vector<std::string> visible_lines(std::string_view text);

// The text without what visible() would drop, line ends kept: for the clipboard and for searches.
std::string visible_text(std::string_view text);

}  // namespace magi::code::tui
