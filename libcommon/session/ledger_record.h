// What a checkpoint ledger holds: one line for each change of a file by a tool (magi-session(5)).  The names of these
// records are known here alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/event/fields.h"

namespace magi::session {

// Bytes of larger files are not kept, so that no call costs more than a moment or a few of these; 64 MiB is also what
// magi-tool takes a digest of.
inline constexpr std::int64_t kLargestSaved = 64 * 1024 * 1024;

// A regular file at one moment.
struct FileState {
  std::string sha256;  // of its bytes; empty where it is larger than kLargestSaved
  std::int64_t bytes = 0;
  std::string mode;  // permission bits in octal, "0644"

  // The same bytes and mode, as far as that is known: never true without digests.
  bool same_as(const FileState& other) const { return !sha256.empty() && sha256 == other.sha256 && mode == other.mode; }
  bool operator==(const FileState&) const = default;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("sha256", self.sha256);
    v.required("bytes", self.bytes);
    v.required("mode", self.mode);
  }
};

// Recorded before the change becomes visible, so `after` is what was about to be: a crash between the two leaves
// `before`.
struct Change {
  static constexpr std::string_view kType = "change";
  std::string turn_id;  // of the call; "rewind-..." where a rewind made the change; empty: a call without a turn
  std::string call_id;
  std::string at;                          // RFC 3339 UTC
  std::string by;                          // the tool
  std::string root;                        // absolute: the folder that the tools work in
  std::string path;                        // of the file itself, links resolved, below `root`
  std::optional<FileState> before, after;  // nothing: no such file
  bool saved = false;                      // the bytes of `before` are in the blob store
  std::int64_t folders_made = 0;           // so many of the innermost folders of `path` were made for it

  std::string absolute() const { return root == "/" ? root + path : root + '/' + path; }

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("turn_id", self.turn_id);
    v.optional("call_id", self.call_id);
    v.required("at", self.at);
    v.required("by", self.by);
    v.required("root", self.root);
    v.required("path", self.path);
    v.optional("before", self.before);
    v.optional("after", self.after);
    v.optional("saved", self.saved);
    v.optional("folders_made", self.folders_made);
  }
};

std::string mode_text(unsigned mode);
// 0600 where the text is none.
unsigned mode_of(const FileState& state);

// Paths may hold any bytes and JSON only UTF-8: what is not UTF-8 (or looks like what follows) is kept as "hex:...".
std::string path_to_text(std::string_view path);
std::string path_from_text(std::string_view text);

}  // namespace magi::session
