// The bytes of a terminal -> what the person did.  Incremental: any split over reads gives the same events, except that
// text typed at once comes in one key or several.  Pure: the caller tells it when nothing followed for a while.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/terminal/capabilities.h"
#include "tools/magi-code/tui/terminal/input_event.h"

namespace magi::code::tui {

// How long the rest of an escape sequence may take; a lone ESC is the key from then on.  Over slow links sequences
// arrive split; people do not type as fast.
inline constexpr int kEscapeWaitMs = 40;

struct DecodedInput {
  std::vector<InputEvent> events;
  std::vector<Reply> replies;
};

class Decoder {
 public:
  // Appends to `out`.
  void feed(std::string_view bytes, DecodedInput& out);
  // Something is unfinished that time decides: call expire() when nothing came for kEscapeWaitMs.
  bool waits() const;
  void expire(DecodedInput& out);
  bool in_paste() const { return in_paste_; }

 private:
  std::size_t step(std::string_view bytes, bool last, DecodedInput& out);
  void take_paste(DecodedInput& out);

  std::string kept_;  // unfinished bytes
  std::string paste_;
  bool in_paste_ = false;
};

}  // namespace magi::code::tui
