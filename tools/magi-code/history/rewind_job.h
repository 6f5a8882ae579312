// Going back to before a prompt: a plan first, which lives in memory alone, then its carrying out.  For `magi-code
// rewind` and /rewind alike.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/session/writer.h"
#include "tools/magi-code/history/rewind_record.h"
#include "tools/magi-code/history/timeline.h"

namespace magi::code {

enum class RewindMode { kFiles, kConversation, kBoth };
bool rewinds_files(RewindMode mode);
bool rewinds_conversation(RewindMode mode);

struct RewindReport {
  std::string session_id, cwd;
  std::string target_turn_id, target_event_id, target_text;
  bool target_is_rewind = false;
  RewindMode mode = RewindMode::kBoth;
  bool dry_run = false;
  std::string status;  // "planned", "cancelled", "completed", "partial", "nothing to do"
  std::vector<session::RewoundFile> files;
  std::int64_t shell_calls = 0;
  std::uint64_t torn_ledger_bytes = 0;  // an incomplete last record, left out
  std::string fork_id;                  // of a conversation rewind that was done
  std::string rewind_event_id;          // of a file rewind that was recorded
};

struct RewindWish {
  std::string session_id;
  std::string to;  // see read_timeline(); or the ID of a turn that only the ledger knows
  bool files = false, conversation = false, both = false;  // none: both, or files where there is no prompt
  bool force = false;                                      // conflicts too
};

class RewindJob {
 public:
  RewindJob(session::Home home, RewindWish wish);

  // Finds the target and says in report() what would be done.  Reads, writes nothing; blocks on the disk.
  // kNotFound, kUsage.
  Result<void> plan();

  // Requires: plan(); where files are taken back, `writer` appends to that very session and has done so since before
  // the plan.  `go_on` is asked before each file.  An error behind a fork that was made names it.
  Result<void> carry_out(session::Writer* writer, const std::function<bool()>& go_on);

  RewindReport& report() { return report_; }
  const RewindReport& report() const { return report_; }

 private:
  Result<void> find_target();
  Result<void> find_turn_of_ledger();
  Result<void> choose_mode();
  Result<void> fork();
  Result<void> record(session::Writer& writer);
  void settle_status(bool complete);
  Error with_fork(const Error& why) const;

  session::Home home_;
  RewindWish wish_;
  RewindReport report_;
  Timeline timeline_;
  session::LedgerContents ledger_;
  std::size_t first_change_ = 0;
  std::string rewind_id_;
};

}  // namespace magi::code
