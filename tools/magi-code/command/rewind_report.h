// How a rewind is shown: as text for people, or as one JSON object.
#pragma once

#include <string>
#include <vector>

#include "tools/magi-code/command/rewind_record.h"

namespace magi::code {

enum class RewindMode { kFiles, kConversation, kBoth };

struct RewindReport {
  std::string session_id, cwd;
  std::string target_turn_id, target_event_id, target_text;
  bool target_is_rewind = false;
  RewindMode mode = RewindMode::kBoth;
  bool dry_run = false;
  std::string status;
  std::vector<session::RewoundFile> files;
  std::int64_t shell_calls = 0;
  std::string fork_id;          // of a conversation rewind that was done
  std::string rewind_event_id;  // of a file rewind that was recorded
};

bool rewinds_files(RewindMode mode);
bool rewinds_conversation(RewindMode mode);

// Before anything is done.
std::string plan_text(const RewindReport& report);
// Afterwards.
std::string result_text(const RewindReport& report);
std::string json_text(const RewindReport& report);

}  // namespace magi::code
