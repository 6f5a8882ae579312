// What a rewind leaves in sessions (magi-session(5)).  Both are local: no provider sees them.
#pragma once

#include <string>
#include <vector>

#include "libcommon/event/session_event.h"
#include "libcommon/session/checkpoint.h"

namespace magi::code {

struct RewindCounts {
  std::int64_t restored = 0, removed = 0, unchanged = 0, conflicts = 0, unavailable = 0, failed = 0;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("restored", self.restored);
    v.required("removed", self.removed);
    v.required("unchanged", self.unchanged);
    v.required("conflicts", self.conflicts);
    v.required("unavailable", self.unavailable);
    v.required("failed", self.failed);
  }
};

struct ListedFile {
  std::string path, status;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("path", self.path);
    v.required("status", self.status);
  }
};

// In the session whose files were taken back: turns, relative paths, statuses and counts, nothing of what files hold
// (requirement F1).
struct RewindEvent {
  static constexpr std::string_view kType = event::name::kRewind;
  std::string rewind_id, status, target_turn_id, fork_session_id;
  std::vector<std::string> turns;
  std::vector<ListedFile> files;
  std::int64_t unlisted = 0;  // files whose paths look secret, lie outside the folders of the session, or are too many
  RewindCounts counts;
  bool forced = false;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("rewind_id", self.rewind_id);
    v.required("status", self.status);
    v.required("target_turn_id", self.target_turn_id);
    v.optional("fork_session_id", self.fork_session_id);
    v.required("turns", self.turns);
    v.required("files", self.files);
    v.required("unlisted", self.unlisted);
    v.required("counts", self.counts);
    v.optional("forced", self.forced);
  }
};

// In a fork: where it comes from, and the prompt that was not sent in it, for whoever loads it.
struct ForkNote {
  static constexpr std::string_view kType = event::name::kDiagnostic;
  std::string level = "info", message, category = "conversation_rewind", source_session_id, source_event_id, draft;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("level", self.level);
    v.required("message", self.message);
    v.required("category", self.category);
    v.required("source_session_id", self.source_session_id);
    v.required("source_event_id", self.source_event_id);
    v.required("draft", self.draft);
  }
};

RewindCounts count_fates(const std::vector<session::RewoundFile>& files);

// Fills `files` and `unlisted`: which paths may be named.
void list_files(const std::vector<session::RewoundFile>& files, RewindEvent& event);

// By the names that keys, credentials and environment files go by, or a secret in the path itself.
bool looks_secret(std::string_view path);

}  // namespace magi::code
