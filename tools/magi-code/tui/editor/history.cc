#include "tools/magi-code/tui/editor/history.h"

#include <algorithm>
#include <utility>

namespace magi::code::tui {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; }

bool has_capital(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

void PromptHistory::set(std::vector<std::string> entries) {
  entries_ = std::move(entries);
  at_ = entries_.size();
}

void PromptHistory::remember(std::string_view entry) {
  const bool is_blank = entry.find_first_not_of(" \t\n") == std::string_view::npos;
  if (!is_blank && (entries_.empty() || entries_.back() != entry)) entries_.emplace_back(entry);
  at_ = entries_.size();
}

void PromptHistory::keep_draft(const Buffer& buffer) {
  draft_ = buffer.text().raw();
  draft_cursor_ = buffer.cursor();
}

void PromptHistory::put_draft(Buffer& buffer) const {
  buffer.replace(0, buffer.text().size(), draft_);
  buffer.move_to(draft_cursor_);
}

bool PromptHistory::step(Buffer& buffer, int direction) {
  if (direction < 0 ? at_ == 0 : at_ >= entries_.size()) return false;
  if (at_ == entries_.size()) keep_draft(buffer);
  at_ += direction < 0 ? std::size_t(-1) : 1;
  if (at_ == entries_.size()) {
    put_draft(buffer);
  } else {
    buffer.set(entries_[at_]);
  }
  return true;
}

bool PromptHistory::matches(const std::string& entry) const {
  if (has_capital(query_)) return entry.find(query_) != std::string::npos;
  return std::search(entry.begin(), entry.end(), query_.begin(), query_.end(),
                     [](char a, char b) { return lower(a) == b; }) != entry.end();
}

void PromptHistory::begin_search(Buffer& buffer) {
  keep_draft(buffer);
  searching_ = found_ = true;
  query_.clear();
  at_ = entries_.size();
}

void PromptHistory::search_again(Buffer& buffer, int direction) {
  if (query_.empty()) return;
  for (std::size_t i = at_; direction < 0 ? i > 0 : i + 1 < entries_.size();) {
    i += direction < 0 ? std::size_t(-1) : 1;
    // The same prompt twice is one find.
    if (!matches(entries_[i]) || (at_ < entries_.size() && entries_[i] == entries_[at_])) continue;
    at_ = i;
    found_ = true;
    buffer.set(entries_[at_]);
    return;
  }
  found_ = at_ < entries_.size() && matches(entries_[at_]);
}

void PromptHistory::search_for(Buffer& buffer, std::string query) {
  query_ = std::move(query);
  if (query_.empty()) {
    at_ = entries_.size();
    found_ = true;
    return put_draft(buffer);
  }
  if (at_ < entries_.size() && matches(entries_[at_])) {
    found_ = true;
    return;
  }
  // A shorter query may match something newer.
  at_ = entries_.size();
  search_again(buffer, -1);
}

void PromptHistory::end_search(Buffer& buffer, bool keep) {
  searching_ = false;
  if (!keep || at_ == entries_.size()) {
    put_draft(buffer);
    at_ = entries_.size();
  }
}

}  // namespace magi::code::tui
