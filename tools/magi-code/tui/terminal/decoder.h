// The bytes of a terminal -> what the person did.  Incremental: any split over reads gives the same events, except that
// text typed at once comes in one key or several.  Pure: the caller tells it when nothing followed for a while.
#pragma once

#include <cstddef>
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
  bool waits() const { return !kept_.empty() && !in_paste_; }
  void expire(DecodedInput& out);
  // Inside of a paste whose end has not come yet.
  bool in_paste() const { return in_paste_; }

 private:
  // Each takes what stands at the beginning of `bytes` and returns its size; 0: more has to come.  With `last` nothing
  // comes any more.
  std::size_t take(std::string_view bytes, bool last, DecodedInput& out);
  std::size_t take_escape(std::string_view bytes, bool last, DecodedInput& out);
  std::size_t take_csi(std::string_view bytes, std::size_t start, bool last, bool alt, DecodedInput& out);
  std::size_t take_ss3(std::string_view bytes, std::size_t start, bool last, bool alt, DecodedInput& out);
  std::size_t take_string(std::string_view bytes, bool last, DecodedInput& out);
  std::size_t take_text(std::string_view bytes, bool last, DecodedInput& out);
  std::size_t take_paste(std::string_view bytes, DecodedInput& out);

  void run(std::string_view bytes, bool last, DecodedInput& out);

  std::string kept_;   // what is unfinished
  std::string paste_;  // what has come of a paste
  bool in_paste_ = false;
  int silences_ = 0;  // since bytes came last
};

}  // namespace magi::code::tui
