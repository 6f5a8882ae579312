// What listing and --continue need to know of a session, and how little of a session file it takes to know it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/json/node.h"

namespace magi::session {

// magi-session(5): without a sidecar at most these parts of a session are read.
inline constexpr std::size_t kHeadBytes = 64 * 1024;
inline constexpr std::size_t kTailBytes = 2 * 1024 * 1024;
inline constexpr std::size_t kPromptCharacters = 1000;

struct SessionFacts {
  std::string title;         // of the newest session_title; empty: none
  std::string first_prompt;  // cut to kPromptCharacters
  std::string cwd;           // of the first event
  std::string worktree;      // worktree_of(cwd) when it was last known; empty: not known
  std::string provider, model;
  std::int64_t created_ms = 0;         // timestamp of the first event; 0: unknown, here and below
  std::int64_t newest_visible_ms = 0;  // latest timestamp of an event that a provider sees in replay
  std::int64_t newest_ms = 0;          // of an event of any kind
  std::int64_t generation = 0;         // that of the newest valid checkpoint
  bool eligible = false;               // holds a user_input or a valid checkpoint

  // Takes in one more event, in file order.  `payload` may be falsy unless wants_payload(event_type).
  void apply(std::string_view event_type, std::optional<std::int64_t> timestamp_ms, std::string_view event_cwd,
             const json::Node& payload);
  static bool wants_payload(std::string_view event_type);

  bool operator==(const SessionFacts&) const = default;
  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("title", self.title);
    v.optional("first_prompt", self.first_prompt);
    v.optional("cwd", self.cwd);
    v.optional("worktree", self.worktree);
    v.optional("provider", self.provider);
    v.optional("model", self.model);
    v.optional("created_ms", self.created_ms);
    v.optional("newest_visible_ms", self.newest_visible_ms);
    v.optional("newest_ms", self.newest_ms);
    v.optional("generation", self.generation);
    v.optional("eligible", self.eligible);
  }
};

// The facts of the first `length` bytes of an open session file, from parts of at most kHeadBytes and kTailBytes.
Result<SessionFacts> scan_facts(int session_fd, std::uint64_t length, std::string_view path_for_errors);
// The same, going on from the facts of its first `known_length` bytes, a line's end.
Result<SessionFacts> scan_facts_from(SessionFacts known, std::uint64_t known_length, int session_fd,
                                     std::uint64_t length, std::string_view path_for_errors);

}  // namespace magi::session
