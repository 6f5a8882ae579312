// The card that asks whether a call may run: it shows exactly what would happen, and takes the answer.  Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/magi-code/loop/run_records.h"
#include "tools/magi-code/tui/editor/editor.h"
#include "tools/magi-code/tui/panel/effect.h"
#include "tools/magi-code/tui/screen/surface.h"

namespace magi::code::tui {

// Keys are for the prompt until nothing was typed for so long after the card has appeared: nobody allows a command with
// the letter of a word that they were writing.  The longer time is for a prompt that holds text.
inline constexpr std::int64_t kApprovalQuietMs = 400, kApprovalQuietWritingMs = 1'500;

// The call ID and kind of the question that is no call's: whether what a project's settings ask for is trusted.
inline constexpr std::string_view kTrustQuestion = "trust";

class ApprovalCard {
 public:
  ApprovalCard(ApprovalRequest request, std::int64_t now_ms);

  const ApprovalRequest& request() const { return request_; }
  bool is_trust_question() const { return request_.kind == kTrustQuestion; }
  std::int64_t appeared_ms() const { return appeared_ms_; }
  // A pattern or a reason is being written.
  bool typing() const { return typing_ != Typing::kNothing; }
  // Nothing: the key changed the card, or was none of its own.
  std::optional<AnswerApproval> key(const Key& key);
  void paste(const std::string& text);
  // Escape leaves the line that is being typed; false: there is none.
  bool escape();

  int layout(int columns, int most_rows);
  // `armed`: keys are for the card.  Requires: layout() with the size of `area`.
  void draw(Surface& surface, Rect area, bool armed) const;

 private:
  enum class Typing : std::uint8_t { kNothing, kPattern, kReason };
  void begin_typing(Typing what, std::string_view text);
  AnswerApproval answer(std::string decision, std::string text = {}) const;
  std::vector<Line> body(int columns) const;

  ApprovalRequest request_;
  std::int64_t appeared_ms_;
  Typing typing_ = Typing::kNothing;
  Editor line_;
  std::vector<Line> lines_;
  int first_ = 0;  // line of the body in view
  int body_rows_ = 0;
};

}  // namespace magi::code::tui
