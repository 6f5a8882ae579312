// What the tools change, recorded in the session's checkpoint ledger before it becomes visible (requirements F1, F3),
// so that `magi-code rewind` can take it back.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/session/ledger.h"

namespace magi::toolbox {

struct Call;
struct Target;

class Checkpoints {
 public:
  // Without a session: nothing is recorded.
  Checkpoints() = default;
  Checkpoints(const session::Home& home, const std::string& session_id) { ledger_.emplace(home, session_id); }

  // The target is about to hold `content` with this mode, or, without content, to be removed.  An error: it must stay
  // as it is.  What a rewind will not be able to restore becomes the call's remark.
  Result<void> take(Call& call, const Target& target, std::optional<std::string_view> content,
                    const std::string& sha256, mode_t mode);

 private:
  std::optional<session::Ledger> ledger_;
};

}  // namespace magi::toolbox
