// Where everything under the home lives (magi-session(5)).  No other module spells these names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/event/session_event.h"
#include "libcommon/os/safe_open.h"

namespace magi::session {

using event::is_valid_session_id;

// Names inside a folder of sessions.  Requires: a valid session ID.
namespace file {
inline constexpr std::string_view kSessionSuffix = ".jsonl";
inline constexpr std::string_view kSidecarSuffix = ".meta.json";
inline constexpr std::string_view kReviewSuffix = ".review.json";  // review comments of a session
inline constexpr std::string_view kLeaseSuffix = ".lease", kMutationSuffix = ".mutation";  // in .locks/
inline constexpr std::string_view kSessions = "sessions";                                  // in the home
inline constexpr std::string_view kCheckpoints = "checkpoints";                            // in the home
inline constexpr std::string_view kExports = "exports";                                    // in the home
inline constexpr std::string_view kHistory = ".history";
inline constexpr std::string_view kLocks = ".locks";
inline constexpr std::string_view kChildren = "subagents";
inline constexpr std::string_view kEventIds = "event-id-sequence";          // in sessions/ only
inline constexpr std::string_view kEventIdsLock = "event-ids";              // in sessions/.locks/ only
inline constexpr std::string_view kAuth = "auth.json";                      // in the home
inline constexpr std::string_view kBlobs = "blobs";                         // in checkpoints/
inline constexpr std::string_view kLedgersLock = "ledgers";                 // in checkpoints/.locks/
inline constexpr std::string_view kPromptHistory = "prompt-history.jsonl";  // in state/
inline constexpr std::string_view kAuthLock = "auth";                       // in the home's .locks/ only

std::string session(std::string_view id);
std::string sidecar(std::string_view id);
std::string review(std::string_view id);
std::string lease(std::string_view id);
std::string mutation(std::string_view id);
std::string archive(std::int64_t generation);
bool is_archive(std::string_view name);
std::string ledger(std::string_view id);               // in checkpoints/
std::string model_catalog(std::string_view provider);  // in cache/model-catalog/
// The ID that a session file's name stands for; empty when it is no session file's name.
std::string_view session_id_of(std::string_view file_name);
// The ID whose sidecar, review comments or lock file has this name; empty for other names.
std::string_view id_of_company(std::string_view file_name);
}  // namespace file

enum class Family { kPrimary, kChild };

// Paths as text, for messages, for people, and for handing to other programs.
class Home {
 public:
  // Requires: absolute.
  explicit Home(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  std::string settings() const { return in("settings.json"); }
  std::string auth() const { return in(file::kAuth); }
  std::string prompts() const { return in("prompts"); }
  std::string skills() const { return in("skills"); }
  std::string subagents() const { return in("subagents"); }
  std::string instructions() const { return in("AGENTS.md"); }
  std::string exports() const { return in(file::kExports); }
  std::string checkpoints() const { return in(file::kCheckpoints); }
  std::string model_catalog(std::string_view provider) const;
  std::string settings_schema() const { return in("state/settings.schema.json"); }

  std::string sessions(Family family = Family::kPrimary) const;
  std::string session(std::string_view id, Family family = Family::kPrimary) const;
  std::string sidecar(std::string_view id, Family family = Family::kPrimary) const;
  std::string archive(std::string_view id, std::int64_t generation, Family family = Family::kPrimary) const;

 private:
  std::string in(std::string_view name) const { return root_ + '/' + std::string(name); }
  std::string root_;
};

// The folder that holds the session files of a family, checked as requirement S5 asks.  kFail: kNotFound when it or the
// home does not exist yet.  kCreate makes what is missing, durably.
Result<os::Dir> open_sessions(const Home& home, Family family, os::IfMissing if_missing);

// The .locks of a folder of sessions, or of the home; made when it is missing.
Result<os::Dir> open_locks(const os::Dir& folder);

// checkpoints/, with what is missing made as open_sessions() does it.
Result<os::Dir> open_checkpoints(const Home& home, os::IfMissing if_missing);

// The folder of the cached model catalogs; made when it is missing.
Result<os::Dir> open_model_catalogs(const Home& home);

// state/, what programs of ours remember for their own use; made when it is missing.
Result<os::Dir> open_state(const Home& home);

// The folder of what MCP servers offered last, a file each server; made when it is missing.
Result<os::Dir> open_mcp_tools(const Home& home);

// The session file for reading: regular, owned, not followed.  kNotFound: "no session 'ID'".
Result<os::Fd> open_session_for_reading(const Home& home, std::string_view id, Family family = Family::kPrimary);

// kUsage unless `id` is a valid session ID.
Result<void> check_session_id(std::string_view id);

// Fails with one clear line when the home cannot be used: a dangling link, no folder, someone else's.  A home that does
// not exist yet is fine.  Touches nothing.
Result<void> check_home(const Home& home);

// "20261130-100001-9f3a5c71d2": UTC time and 40 random bits; sorts by age.
std::string new_session_id(std::int64_t unix_ms);

}  // namespace magi::session
