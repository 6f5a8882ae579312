// The file that remembers the facts of a session: `sessions/<id>.meta.json`, which describes the first `length` bytes
// of its session.  A sidecar is a cache: never synced, ignored when it does not fit, its absence costs a bounded read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/os/safe_open.h"
#include "libcommon/session/facts.h"

namespace magi::session {

inline constexpr std::int64_t kSidecarSchema = 1;

struct Sidecar {
  std::int64_t schema = kSidecarSchema, inode = 0, length = 0, mtime_ns = 0;
  SessionFacts facts;

  Sidecar() = default;
  Sidecar(const os::FileStamp& stamp, SessionFacts about)
      : inode(static_cast<std::int64_t>(stamp.inode)),
        length(static_cast<std::int64_t>(stamp.length)),
        mtime_ns(stamp.mtime_ns),
        facts(std::move(about)) {}

  // All of the file as it is now; the first part of it.
  bool describes(const os::FileStamp& stamp) const;
  bool describes_start_of(const os::FileStamp& stamp) const;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("schema", self.schema);
    v.required("inode", self.inode);
    v.required("length", self.length);
    v.required("mtime_ns", self.mtime_ns);
    SessionFacts::fields(self.facts, v);
  }
};

// Nothing where there is none, or none of this schema.  `parser`: for use again, which is cheaper than a new one.
std::optional<Sidecar> read_sidecar(const os::Dir& sessions, std::string_view id, json::Parser& parser);
std::optional<Sidecar> read_sidecar(const os::Dir& sessions, std::string_view id);
// Atomic, not synced.
Result<void> write_sidecar(const os::Dir& sessions, std::string_view id, const Sidecar& sidecar);

// The facts of session `id`, whose stamp is `stamp`: from its sidecar alone where that describes all of it, else from
// what lies behind the sidecar's length, else from the head and the tail of the file.
Result<SessionFacts> facts_of(const os::Dir& sessions, std::string_view id, const os::FileStamp& stamp,
                              json::Parser& parser);
Result<SessionFacts> facts_of(const os::Dir& sessions, std::string_view id, const os::FileStamp& stamp);

}  // namespace magi::session
