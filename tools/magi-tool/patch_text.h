// Patches over several files, as models write them: unified differences, with git's headers or without, and the form
// that begins with "*** Begin Patch".  Pure: nothing here touches a disk.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::toolbox {

struct PatchLine {
  char kind;              // ' ' stays, '-' goes, '+' comes
  std::string_view text;  // without its line end
  bool unended = false;   // "\ No newline at end of file" follows
};

struct Hunk {
  std::size_t line = 0;      // where it begins in the old file, from 1; 0: not said
  std::size_t at = 0;        // its own line in the patch, from 1, for messages
  bool at_end = false;       // "*** End of File"
  std::string_view heading;  // "@@ heading": a line that stands before it; only of the second form
  std::vector<PatchLine> lines;
};

struct FilePatch {
  enum class Kind { kChange, kCreate, kRemove };
  Kind kind = Kind::kChange;
  std::string path, new_path;  // new_path: empty unless it is renamed
  std::optional<mode_t> mode;  // "new mode", "new file mode"
  std::vector<Hunk> hunks;     // of a removal: what the file must hold; may be none
};

// Views point into `patch`.  kUsage names the line of the patch that cannot be understood.  Counts in headers need not
// be right; paths lose git's a/ and b/.
Result<std::vector<FilePatch>> parse_patch(std::string_view patch);

// The content, UTF-8, after the hunks; each is looked for where it says it is, else as near as possible.  Lines that
// stay keep their bytes; new ones end as their neighbours do; a last line without an end stays one unless the patch
// says otherwise.  kUsage names the hunk, and shows the nearest candidate.
Result<std::string> apply_hunks(std::string_view content, const std::vector<Hunk>& hunks);

}  // namespace magi::toolbox
