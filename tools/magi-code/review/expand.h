// `#diff-changes` in what a person sends (requirements L5, R14): the unresolved review comments of the session, as they
// are at that moment.  What became of it is stored with the input; a comment that is resolved later changes no earlier
// message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/session/paths.h"
#include "tools/magi-code/review/placed_comments.h"

namespace magi::code::review {

inline constexpr std::string_view kDiffChangesTag = "#diff-changes";

// Whether the tag stands in the text as a word of its own.
bool holds_tag(std::string_view text);

struct Expansion {
  std::string text;                  // what the model reads; empty: as typed
  std::vector<std::string> notices;  // for the person: what could not be expanded, and why
};

// The text with the comments behind it, once however often the tag stands there.  Pure.
Expansion expand_with(std::string_view text, const std::vector<PlacedComment>& unresolved);

// Reads the session's comments and the commented files where the text holds the tag, and nothing at all where it does
// not.  `session_id` empty: no session is kept.  Runs nothing and looks at no other file.  Blocking: disk.
Expansion expand_tags(std::string_view text, const session::Home& home, const std::string& session_id);

}  // namespace magi::code::review
