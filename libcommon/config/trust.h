// Which content of projects the user has trusted.  A project's settings may ask for things that run code or widen
// permissions: hooks, MCP servers, permissions.  They are dropped until the user has trusted exactly that: the digest
// covers those settings and every file of the project that they name.  Kept beside the user's settings, in
// state/trust.json: the real path of a project's folder -> the digest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::config {

// What a project asks for; part of Settings.
struct TrustQuestion {
  std::string folder;                // real path of the project's folder
  std::string file;                  // its settings
  std::string digest;                // of the entries
  std::vector<std::string> entries;  // "hooks.guard.command = \"./guard.sh\"", "./guard.sh: sha256:..."
  bool trusted = false;              // and so in force
};

// `global_file`: the user's settings.  Blocking; the files are small.
// Trusts exactly what `question` holds.  kConfig, kIo: the file cannot be read or written; nothing has changed.
Result<void> trust(const std::string& global_file, const TrustQuestion& question);
// False where nothing of that folder was trusted.
Result<bool> revoke_trust(const std::string& global_file, const std::string& folder);
// Every folder of which something is trusted.
Result<std::vector<std::string>> trusted_folders(const std::string& global_file);

// For load_settings(): completes a question that has its entries, with the files that they name and its digest, and
// says whether that is trusted.
Result<void> settle_question(const std::string& global_file, const std::string& working_directory,
                             TrustQuestion& question);

}  // namespace magi::config
