#include "tools/magi-code/tui/editor/buffer.h"

#include <algorithm>
#include <utility>

namespace magi::code::tui {

void Buffer::move_to(std::size_t at) {
  cursor_ = std::min(at, text_.size());
  open_sort_ = Sort::kAlone;
}

void Buffer::insert(std::string_view text, Sort sort) { replace(cursor_, cursor_, text_.piece_of(text), sort); }

void Buffer::erase(std::size_t begin, std::size_t end, Sort sort) { replace(begin, end, {}, sort); }

void Buffer::set(std::string_view text) { replace(0, text_.size(), text_.piece_of(text)); }

void Buffer::replace(std::size_t begin, std::size_t end, std::string_view piece, Sort sort) {
  if (begin == end && piece.empty()) return;
  record({begin, slice(begin, end), std::string(piece)}, sort);
  text_.replace(begin, end, done_.back().changes.back().inserted);
  cursor_ = begin + done_.back().changes.back().inserted.size();
  // What came together may be one cluster now.
  if (cursor_ > 0) cursor_ = std::max(cursor_, text_.next(text_.before(cursor_)));
  done_.back().cursor_after = cursor_;
  ++version_;
}

// A step for `change`, or the last one, to which it belongs.
void Buffer::record(Change change, Sort sort) {
  undone_.clear();
  const bool in_group = group_depth_ > 0 && group_has_step_;
  // A word that begins after a blank begins a new step.
  const bool begins_word = sort == Sort::kTyping && text_.kind_at(text_.before(cursor_)) == 0 &&
                           !change.inserted.empty() && change.inserted[0] != ' ';
  const bool goes_on = sort != Sort::kAlone && sort == open_sort_ && !done_.empty() && !begins_word;
  if (!in_group && !goes_on) {
    done_.push_back({{}, cursor_, cursor_});
    if (done_.size() > kMostSteps) done_.pop_front();
  }
  group_has_step_ = group_depth_ > 0;
  open_sort_ = sort;
  std::vector<Change>& changes = done_.back().changes;
  // Letters typed one after the other are kept as one change.
  done_.back().changes.reserve(changes.size() + 1);
  changes.push_back(std::move(change));
}

void Buffer::begin_group() {
  if (group_depth_++ == 0) group_has_step_ = false;
}

void Buffer::end_group() {
  if (--group_depth_ == 0) open_sort_ = Sort::kAlone;
}

bool Buffer::undo() {
  if (done_.empty()) return false;
  Step step = std::move(done_.back());
  done_.pop_back();
  group_has_step_ = false;
  for (auto change = step.changes.rbegin(); change != step.changes.rend(); ++change) {
    text_.replace(change->at, change->at + change->inserted.size(), change->removed);
  }
  move_to(step.cursor_before);
  undone_.push_back(std::move(step));
  ++version_;
  return true;
}

bool Buffer::redo() {
  if (undone_.empty()) return false;
  Step step = std::move(undone_.back());
  undone_.pop_back();
  group_has_step_ = false;
  for (const Change& change : step.changes) {
    text_.replace(change.at, change.at + change.removed.size(), change.inserted);
  }
  move_to(step.cursor_after);
  done_.push_back(std::move(step));
  ++version_;
  return true;
}

void Buffer::add_killed(std::string piece) {
  if (piece.empty()) return;
  kill_ring_.push_front(std::move(piece));
  if (kill_ring_.size() > kMostKilled) kill_ring_.pop_back();
}

void Buffer::kill(std::size_t begin, std::size_t end, Kill direction) {
  if (begin == end) return;
  std::string piece = slice(begin, end);
  if (last_killed_ && !kill_ring_.empty()) {
    std::string& newest = kill_ring_.front();
    newest.insert(direction == Kill::kForward ? newest.size() : 0, piece);
  } else {
    add_killed(std::move(piece));
  }
  erase(begin, end);
}

std::string_view Buffer::killed() const { return kill_ring_.empty() ? std::string_view() : kill_ring_.front(); }

bool Buffer::yank() {
  if (kill_ring_.empty()) return false;
  yank_begin_ = cursor_, yank_index_ = 0;
  const std::string piece = kill_ring_.front();
  replace(cursor_, cursor_, piece);
  yank_end_ = yank_begin_ + piece.size();
  return true;
}

bool Buffer::yank_older() {
  if (!last_yanked_ || kill_ring_.empty()) return false;
  yank_index_ = (yank_index_ + 1) % kill_ring_.size();
  const std::string piece = kill_ring_[yank_index_];
  replace(yank_begin_, yank_end_, piece);
  yank_end_ = yank_begin_ + piece.size();
  return true;
}

void Buffer::end_command(bool killed, bool yanked) { last_killed_ = killed, last_yanked_ = yanked; }

void Buffer::reset() {
  text_.replace(0, text_.size(), {});
  text_.keep_only(std::vector<std::string_view>(kill_ring_.begin(), kill_ring_.end()));
  cursor_ = 0;
  ++version_;
  done_.clear();
  undone_.clear();
  end_groups();
}

}  // namespace magi::code::tui
