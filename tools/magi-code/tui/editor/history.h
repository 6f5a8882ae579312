// The prompts of before: gone through with Up and Down, and searched as one types (Ctrl-R).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/editor/buffer.h"

namespace magi::code::tui {

class PromptHistory {
 public:
  void set(std::vector<std::string> entries);
  // Not where it is blank or the same as the newest one.
  void remember(std::string_view entry);

  // Puts the entry before (-1) or behind (1) the present one into the buffer; behind the newest one stands what was
  // being written.  False: there is none.
  bool step(Buffer& buffer, int direction);
  // What is in the buffer is being written from now on.
  void leave() { at_ = entries_.size(); }

  // --- Search ---
  bool searching() const { return searching_; }
  void begin_search(Buffer& buffer);
  // The next entry before (-1) or behind (1) the one found that contains the query; small letters match both cases.
  void search_again(Buffer& buffer, int direction);
  void search_for(Buffer& buffer, std::string query);
  const std::string& query() const { return query_; }
  bool found() const { return found_; }
  // Keeps what was found, or puts back what was there.
  void end_search(Buffer& buffer, bool keep);

 private:
  bool matches(const std::string& entry) const;
  void put_draft(Buffer& buffer) const;
  void keep_draft(const Buffer& buffer);

  std::vector<std::string> entries_;  // the oldest first
  std::size_t at_ = 0;                // size(): what is being written
  std::string draft_;                 // a piece of the buffer
  std::size_t draft_cursor_ = 0;

  bool searching_ = false, found_ = false;
  std::string query_;
};

}  // namespace magi::code::tui
