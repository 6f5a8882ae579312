// A review comment on a line of the working tree's changes, as it is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace magi::code::review {

inline constexpr std::string_view kNewSide = "new";  // a line that stands in the working tree
inline constexpr std::string_view kOldSide = "old";  // a line that was removed

// Where it hangs: enough to find the line again in a file that has changed since.  Texts are as anchor_text() makes
// them.
struct Anchor {
  std::string root;  // absolute: the folder that `path` starts at
  std::string path;
  std::string side;                        // kNewSide, kOldSide
  std::int64_t line = 0;                   // from 1; of the old file for kOldSide
  std::string quoted;                      // the line
  std::vector<std::string> before, after;  // its neighbours in the working tree, in file order; at most kNeighbours

  bool operator==(const Anchor&) const = default;
  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("root", self.root);
    v.required("path", self.path);
    v.required("side", self.side);
    v.required("line", self.line);
    v.optional("quoted", self.quoted);
    v.optional("before", self.before);
    v.optional("after", self.after);
  }
};

struct Comment {
  std::string id;  // unique in its session
  Anchor anchor;
  std::string text;
  std::string created_at, resolved_at;  // RFC 3339; the latter empty: unresolved

  bool is_resolved() const { return !resolved_at.empty(); }
  bool operator==(const Comment&) const = default;
  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("id", self.id);
    v.required("anchor", self.anchor);
    v.required("text", self.text);
    v.required("created_at", self.created_at);
    v.optional("resolved_at", self.resolved_at);
  }
};

}  // namespace magi::code::review
