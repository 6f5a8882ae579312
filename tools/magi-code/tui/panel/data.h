// What panels show, as plain values: load/ reads them, panels draw them.  Texts are as they were stored, so hostile;
// panels make them safe where they draw.  Times are Unix milliseconds, 0: unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::code::tui {

struct SessionRow {
  std::string id, title, first_prompt, cwd, model;
  std::int64_t order_ms = 0;
  std::uint64_t bytes = 0;
  bool same_worktree = false;
};
struct SessionsData {
  std::vector<SessionRow> rows;  // newest first
  std::vector<std::string> unreadable;
  std::int64_t now_ms = 0;
};

struct SessionPreview {
  struct Message {
    bool by_user = false;
    std::string text;  // cut
  };
  std::string id;
  std::vector<Message> messages;  // the last ones, oldest first
  bool busy = false;              // another process may append to it
};

struct ModelRow {
  std::string provider, model;
  std::optional<std::int64_t> window_tokens;
  std::string note;  // "not logged in", "no key: OPENAI_API_KEY"; empty: can be used
};
struct ModelsData {
  std::vector<ModelRow> rows;
  std::vector<std::string> notes;  // catalogs that could not be read, providers without one
};

struct RewindPoint {
  std::string event_id, turn_id, text;
  std::int64_t at_ms = 0, shell_calls = 0;
  bool is_rewind = false;
  std::vector<std::string> files;  // that tools changed in its turn
};
struct RewindPoints {
  std::vector<RewindPoint> points;  // in the order of the session
  std::int64_t now_ms = 0;
};
struct RewindPlan {
  struct File {
    std::string path, fate, reason;  // fate: see session::fate_name()
  };
  std::string event_id;
  bool force = false;
  std::vector<File> files;
  std::int64_t shell_calls = 0;  // whose doings are not taken back
};

struct ChangedFileRow {
  std::string path, status;  // "created", "modified", "deleted", "transient"
  std::int64_t changes = 0;
};
struct ChangedTurnRow {
  std::string turn_id, event_id, prompt;
  std::int64_t at_ms = 0, shell_calls = 0;
  bool is_rewind = false, has_prompt = false;
  std::vector<ChangedFileRow> files;
};
struct LedgerData {
  std::vector<ChangedTurnRow> turns;
  std::uint64_t torn_bytes = 0;
  std::int64_t now_ms = 0;
};

struct ReviewComment {
  std::string id, path, side, quoted, text;  // side: "new" or "old"
  std::int64_t line = 0;                     // where it stands now, from 1; 0: it has lost its place
  bool resolved = false;
};
struct DiffFile {
  std::string path, old_path;  // old_path: of a rename
  std::string status;          // "modified", "added", "deleted", "renamed", "untracked", "conflict"
  std::int64_t added = 0, removed = 0;
  bool binary = false;
  std::string patch;  // the unified diff from the first "@@" on; cut where `note` says so
  std::string note;
};
struct WorktreeData {
  std::string root;  // what paths are relative to
  std::vector<DiffFile> files;
  std::vector<ReviewComment> comments;
  std::string note;  // what was left out
};
// After an EditComment: the comments as they are now.
struct CommentsData {
  std::vector<ReviewComment> comments;
};

struct SettingRow {
  std::string key;    // as print_key_path() writes it
  std::string group;  // "Compaction"
  enum class Kind : std::uint8_t { kBoolean, kInteger, kIntegerOrNull, kText, kChoice, kOther } kind = Kind::kText;
  std::string meaning, standard;  // `standard`: the default as JSON text
  std::int64_t least = 0, most = 0;
  std::vector<std::string> choices;
  bool only_global = false;
  std::string global, project;  // as JSON text; empty: not set there
};
struct SettingsData {
  std::vector<SettingRow> rows;
  std::string global_path, project_path, global_digest, project_digest;
  std::vector<std::string> warnings;
  // Of a save: the key that was refused and why; both empty: it was done.
  std::string refused_key, refused_why;
  std::string saved_scope;
};

struct ActivityRow {
  int depth = 0;          // 0: a turn
  std::string id, label;  // "bash", the prompt of a turn
  std::string detail;     // intent, command or path
  std::string status;     // "running", "success", "error", "cancelled", "timed_out", "completed", "failed", "waiting"
  std::int64_t begun_ms = 0, ended_ms = 0;
};
struct ActivitiesData {
  std::vector<ActivityRow> rows;  // in order, each behind what it belongs to
  std::int64_t now_ms = 0;
};

struct TouchedFile {
  std::string path;
  std::int64_t reads = 0, edits = 0, writes = 0;  // calls that succeeded
  std::string status;  // what the ledger says became of it: see ChangedFileRow; empty: not changed
};
struct TouchedFiles {
  std::vector<TouchedFile> files;  // the last touched first
};

struct UsageRow {
  std::string provider, model;
  std::int64_t requests = 0, input_tokens = 0, cached_tokens = 0, cache_write_tokens = 0, output_tokens = 0,
               reasoning_tokens = 0;
};
struct UsageData {
  std::vector<UsageRow> rows;
};

// System prompt, doctor's report, any long text.
struct TextData {
  std::string title, text;
};

using PanelData =
    std::variant<SessionsData, SessionPreview, ModelsData, RewindPoints, RewindPlan, LedgerData, WorktreeData,
                 CommentsData, SettingsData, ActivitiesData, TouchedFiles, UsageData, TextData>;

// The answer to a Load: `panel` and `key` are those of the wish.
struct Loaded {
  std::string panel, key;
  Result<PanelData> data;
};

}  // namespace magi::code::tui
