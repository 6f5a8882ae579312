// What listing and --continue need to know of a session without reading it, and the sidecar file that remembers it:
// `sessions/<id>.meta.json`, which describes the first `length` bytes of its session.  A sidecar is a cache: never
// synced, ignored when it does not fit, and its absence costs only a bounded read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"
#include "libcommon/os/safe_open.h"

namespace magi::session {

inline constexpr std::int64_t kSidecarSchema = 1;

// Without a sidecar at most these parts of a session are read.
inline constexpr std::size_t kHeadBytes = 64 * 1024;
inline constexpr std::size_t kTailBytes = 2 * 1024 * 1024;

struct SessionFacts {
  std::string title;         // of the newest session_title; empty: none
  std::string first_prompt;  // cut to 1,000 characters
  std::string cwd;           // of the first event
  std::string worktree;      // see worktree_of()
  std::string provider, model;
  std::int64_t created_ms = 0;                // timestamp of the first event; 0: unknown
  std::int64_t newest_visible_ms = 0;         // of the newest provider-visible event; 0: none
  std::int64_t newest_ms = 0;                 // of the newest event of any kind
  bool eligible = false;                      // holds a user_input or a valid checkpoint
  std::int64_t generation = 0;

  // Takes in one more event, in file order.
  void apply(const event::SessionEvent& event);
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
    v.optional("eligible", self.eligible);
    v.optional("generation", self.generation);
  }
};

// True for the events that replay may turn into something that a provider sees.
bool is_provider_visible(std::string_view event_type);

// The identity of the working tree that `cwd` lies in: the real path of the repository that all its linked Git
// worktrees share, else the real path of `cwd`; `cwd` itself when it is gone.
std::string worktree_of(const std::string& cwd);

struct Sidecar {
  os::FileStamp stamp;  // `length` bytes are described
  SessionFacts facts;
};

// Nothing where there is none, or none that can be used.
std::optional<Sidecar> read_sidecar(const os::Dir& sessions, std::string_view id);
// Atomic, not synced.
Result<void> write_sidecar(const os::Dir& sessions, std::string_view id, const Sidecar& sidecar);

// The facts of an open session file whose stamp is `stamp`: from `sidecar` and what lies behind its length, else from
// the head and the tail of the file.
Result<SessionFacts> read_facts(int session_fd, const os::FileStamp& stamp, const std::optional<Sidecar>& sidecar);

}  // namespace magi::session
