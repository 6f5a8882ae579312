// The list of completions at the cursor: when it opens, what matches, what is chosen.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/editor/completion.h"

namespace magi::code::tui {

class CompletionList {
 public:
  void set_candidates(char trigger, std::shared_ptr<const Candidates> candidates);
  // The text up to the cursor, and all of it, have changed so: opens, narrows or closes.
  void update(std::string_view text, std::size_t cursor);
  void close();    // until a trigger is typed anew
  void dismiss();  // closes, and stays closed for this trigger

  std::optional<CompletionQuery> query() const;
  bool is_open() const { return trigger_ != 0 && !dismissed_ && !matches_.empty(); }
  // What stands behind the trigger is whole: the very text of a candidate, and no other one has been chosen.
  bool is_complete() const;
  // Where the trigger stands.
  std::size_t begin() const { return begin_; }
  char trigger() const { return trigger_; }

  // Requires: is_open().
  const Candidate& chosen() const;
  void choose(int step);  // wraps around

  int rows() const;
  void draw(Surface& surface, Rect area) const;

 private:
  void match(bool narrower);

  struct Match {
    std::size_t index = 0;
    int score = 0;
  };

  std::map<char, std::shared_ptr<const Candidates>> candidates_;
  char trigger_ = 0;
  std::string query_;
  std::size_t begin_ = 0;
  bool dismissed_ = false, has_chosen_ = false;
  std::vector<Match> matches_;  // the best first, as far as anybody looks
  std::size_t chosen_ = 0;
};

}  // namespace magi::code::tui
