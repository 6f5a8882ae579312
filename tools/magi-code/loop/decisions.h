// The two named decision points of a run (L7).  Their default is yes; a verifier or a scheduler derives from this.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace magi::code {

class Decisions {
 public:
  virtual ~Decisions() = default;
  // A turn is about to be recorded as completed with this text.  Nothing: yes; a text: it is sent as further input
  // first.
  virtual std::optional<std::string> before_completion(std::string_view /*turn_text*/) { return std::nullopt; }
  // A settled boundary: may a compaction that is due run here?
  virtual bool compaction_timing() { return true; }
};

}  // namespace magi::code
