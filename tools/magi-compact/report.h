// What was done, or would be, for people and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcommon/context/session_ledger.h"
#include "libcommon/event/session_event.h"

namespace magi::compact {

struct Report {
  std::string session_id, trigger, provider, model, method;
  bool is_exact = false, dry_run = false;
  std::int64_t generation = 0;  // that the checkpoint starts
  std::int64_t tokens_before = 0;
  std::optional<std::int64_t> tokens_after;  // nothing before a summary is there
  std::int64_t request_tokens = 0, limit = 0;
  bool fits = true;
  event::ArchiveRef archive;  // `sha256` is empty before it was made
  std::string archive_path;   // absolute
  context::CarriedUsage usage;
  std::string summary;
};

// One object with LF.
void append_json(std::string& out, const Report& report);
void append_text(std::string& out, const Report& report);

}  // namespace magi::compact
