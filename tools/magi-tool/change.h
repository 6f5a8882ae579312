// What every tool that changes files shares: finding the file, checking that it is what the model has seen, publishing,
// and taking a change back.
#pragma once

#include <sys/stat.h>

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
  Workspace::Slot slot;                   // no folder: it is not there yet; see Folders::kLater
  std::optional<FileBytes> old;           // nothing: no such file
  std::vector<std::string> folders_made;  // as results name them
};

// Folders that are missing on the way to the file.
enum class Folders {
  kLeave,  // an error
  kMake,   // made, and counted in the call's effects
  kLater,  // made by make_folders(), once all else is known to be possible
};

// Permission, place and present content.  kDenied too where the file has a name elsewhere: see hard_links.h.
Result<Target> prepare_change(Call& call, std::string_view path, Folders folders);
Result<void> make_folders(Call& call, Target& target);

// kDenied where the model has seen something else; see observed.h.
Result<void> check_fresh(const Call& call, const Target& target);

struct Change {
  std::optional<std::string_view> content;  // nothing: the file is removed
  std::string_view kind;                    // of effect
  std::optional<mode_t> mode = {};          // nothing: that of the old file
};

// Publishes, after what the file held is in the session's checkpoints, and records what the model now knows it to hold.
// The status of what was written; meaningless where the file was removed.
Result<struct stat> apply_change(Call& call, const Target& target, const Change& change);

// Puts back what the target held before `written`, which apply_change() returned for it, and removes the folders that
// were made for it and hold nothing else.  kBusy: someone else has changed it since.
Result<void> take_back(Call& call, const Target& target, const Change& change, const struct stat& written);

// kDenied when a text that is to be written holds a masked secret: writing it would replace the secret by its mask.
Result<void> refuse_masks(std::string_view argument, std::string_view text);

}  // namespace magi::toolbox
