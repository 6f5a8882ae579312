// Renaming and deleting stored sessions, for `magi-code sessions` and the interface's picker alike.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/session/ledger.h"
#include "libcommon/session/paths.h"

namespace magi::code {

// One line of at most 200 characters without control characters.  kUsage: blank.
Result<std::string> clean_title(std::string title);

// kBusy while another process may append to it.  `cwd` stands in the event.
Result<void> rename_stored_session(const session::Home& home, std::string_view id, std::string title,
                                   const std::string& cwd);

// Deletes sessions one by one; their saved files go together at the end.
class SessionRemover {
 public:
  explicit SessionRemover(session::Home home) : home_(std::move(home)), ledgers_(home_) {}

  // kNotFound, kBusy; kIo where the session is gone but something of it stays.
  Result<void> remove(const std::string& id);
  // After the last: the saved files that nothing names any more.
  Result<void> finish();

 private:
  session::Home home_;
  session::LedgerPruning ledgers_;
  bool removed_ = false;
};

}  // namespace magi::code
