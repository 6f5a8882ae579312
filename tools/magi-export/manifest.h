// manifest.json of an export; the format: magi-export-manifest(5).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/magi-export/contents.h"

namespace magi::exporting {

inline constexpr std::int64_t kManifestVersion = 1;
inline constexpr std::string_view kManifestName = "manifest.json";

// What became of a member when it was written.
struct Written {
  std::uint64_t bytes = 0;
  std::string sha256;
  std::int64_t masked = 0;  // secrets, with --redact
};

// `written` stands beside `contents.members`.
std::string manifest(const Contents& contents, const std::vector<Written>& written, const std::string& session_id,
                     std::int64_t created_ms, bool redacted);

}  // namespace magi::exporting
