// What write and edit share: finding the file, checking that it is what the model has seen, and publishing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "tools/magi-tool/call.h"
#include "tools/magi-tool/file_bytes.h"
#include "tools/magi-tool/workspace.h"

namespace magi::toolbox {

struct Target {
  Place place;
  Workspace::Slot slot;
  std::optional<FileBytes> old;  // nothing: no such file
  std::int64_t folders_made = 0;
};

// Permission, place and present content.  `make_folders`: missing ones are made, and counted in the call's effects.
Result<Target> prepare_change(Call& call, std::string_view path, bool make_folders);

// kDenied where the model has seen something else; see observed.h.
Result<void> check_fresh(const Call& call, const Target& target);

// Publishes, after what the file held is in the session's checkpoints, and records what the model now knows it to hold.
Result<void> apply_change(Call& call, const Target& target, std::string_view content, std::string_view kind);

// kDenied when a text that is to be written holds a masked secret: writing it would replace the secret by its mask.
Result<void> refuse_masks(std::string_view argument, std::string_view text);

}  // namespace magi::toolbox
