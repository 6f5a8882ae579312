// The request that was counted before its input was stored (requirement R13): good for one use, and only where the
// request that is sent afterwards says the same in every record.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/magi-code/stage/token_stage.h"

namespace magi::code {

// A stream without what storing changes and no provider is sent: its frame and the IDs of events.
std::string comparable(std::string_view stream);

class ProjectedRequest {
 public:
  void keep(std::string_view stream, Verdict verdict) { kept_ = Kept{comparable(stream), std::move(verdict)}; }
  void drop() { kept_.reset(); }
  // The verdict where `stream` is what was projected; there is none afterwards.
  std::optional<Verdict> take(std::string_view stream);

 private:
  struct Kept {
    std::string text;
    Verdict verdict;
  };
  std::optional<Kept> kept_;
};

}  // namespace magi::code
