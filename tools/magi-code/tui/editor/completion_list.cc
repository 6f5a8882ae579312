#include "tools/magi-code/tui/editor/completion_list.h"

#include <algorithm>
#include <utility>

#include "tools/magi-code/tui/editor/fuzzy.h"
#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

constexpr int kMostRows = 10;
// So many of the best matches are sorted; nobody scrolls further.
constexpr std::size_t kMostSorted = 200;
constexpr std::string_view kTriggers = "/@$#";

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t'; }

// Where the trigger stands whose word the cursor is in; npos: none.  Slash commands stand at the very beginning; in a
// shell command "$" and "#" are the shell's.
std::size_t trigger_before(std::string_view text, std::size_t cursor) {
  std::size_t begin = cursor;
  while (begin > 0 && !is_blank(text[begin - 1])) --begin;
  if (begin < cursor && (text[begin] == '(' || text[begin] == '"')) ++begin;
  if (begin == cursor || kTriggers.find(text[begin]) == std::string_view::npos) return std::string_view::npos;
  const char trigger = text[begin];
  if (trigger == '/' && begin != 0) return std::string_view::npos;
  if (text[0] == '!' && trigger != '@') return std::string_view::npos;
  return begin;
}

}  // namespace

void CompletionList::set_candidates(char trigger, std::shared_ptr<const Candidates> candidates) {
  if (candidates_[trigger] == candidates) return;
  candidates_[trigger] = std::move(candidates);
  if (trigger == trigger_) match(false);
}

void CompletionList::close() {
  trigger_ = 0;
  query_.clear();
  matches_.clear();
  dismissed_ = has_chosen_ = false;
}

void CompletionList::dismiss() { dismissed_ = true; }

void CompletionList::update(std::string_view text, std::size_t cursor) {
  const std::size_t begin = trigger_before(text, cursor);
  if (begin == std::string_view::npos) return close();
  const bool is_same = trigger_ == text[begin] && begin_ == begin;
  std::string query(text.substr(begin + 1, cursor - begin - 1));
  if (is_same && query == query_) return;
  if (!is_same) close();
  const bool narrower = is_same && query.starts_with(query_);
  trigger_ = text[begin];
  begin_ = begin;
  query_ = std::move(query);
  match(narrower);
}

std::optional<CompletionQuery> CompletionList::query() const {
  if (trigger_ == 0) return std::nullopt;
  return CompletionQuery{trigger_, query_};
}

void CompletionList::match(bool narrower) {
  chosen_ = 0;
  has_chosen_ = false;
  const auto found = candidates_.find(trigger_);
  if (found == candidates_.end() || !found->second) return matches_.clear();
  const Candidates& all = *found->second;
  FuzzyMatcher matcher(query_);
  std::vector<Match> matches;
  const auto consider = [&](std::size_t index) {
    const int score = matcher.score(all[index].text);
    if (score >= 0) matches.push_back({index, score});
  };
  if (narrower) {
    for (const Match& match : matches_) consider(match.index);
  } else {
    for (std::size_t i = 0; i < all.size(); ++i) consider(i);
  }
  const std::size_t sorted = std::min(kMostSorted, matches.size());
  std::partial_sort(
      matches.begin(), matches.begin() + static_cast<std::ptrdiff_t>(sorted), matches.end(),
      [](const Match& a, const Match& b) { return a.score != b.score ? a.score > b.score : a.index < b.index; });
  matches_ = std::move(matches);
}

bool CompletionList::is_complete() const {
  const auto found = candidates_.find(trigger_);
  if (trigger_ == 0 || found == candidates_.end() || !found->second) return false;
  if (has_chosen_ && is_open()) return chosen().text == query_;
  const Candidates& all = *found->second;
  return std::any_of(all.begin(), all.end(), [&](const Candidate& c) { return c.text == query_; });
}

const Candidate& CompletionList::chosen() const { return (*candidates_.at(trigger_))[matches_[chosen_].index]; }

void CompletionList::choose(int step) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(kMostSorted, matches_.size()));
  chosen_ = static_cast<std::size_t>(((static_cast<std::ptrdiff_t>(chosen_) + step) % count + count) % count);
  has_chosen_ = true;
}

int CompletionList::rows() const {
  return is_open() ? static_cast<int>(std::min<std::size_t>(matches_.size(), kMostRows)) : 0;
}

void CompletionList::draw(Surface& surface, Rect area) const {
  if (!is_open() || area.rows <= 0) return;
  const Candidates& all = *candidates_.at(trigger_);
  const auto rows = static_cast<std::size_t>(area.rows);
  const std::size_t first = chosen_ < rows ? 0 : chosen_ - rows + 1;
  const std::size_t last = std::min(first + rows, matches_.size());
  int widest = 0;
  for (std::size_t i = first; i < last; ++i)
    widest = std::max(widest, columns_of(visible(all[matches_[i].index].text)));
  // Names take at most two thirds where there is something to say about them.
  const int name_columns = std::min(widest, std::max(area.columns * 2 / 3, area.columns - 30));
  for (std::size_t i = first; i < last; ++i) {
    const Candidate& candidate = all[matches_[i].index];
    const int row = area.row + static_cast<int>(i - first);
    const bool is_chosen = i == chosen_;
    const Rect line{row, area.column, 1, area.columns};
    surface.fill(line, {is_chosen ? Role::kSelection : Role::kText});
    const std::string name = shorten_front(visible(candidate.text), name_columns);
    const int name_at =
        surface.put(line, row, area.column, is_chosen ? "> " : "  ", {is_chosen ? Role::kSelection : Role::kAccent});
    int column = name_at;
    const std::vector<std::size_t> places = fuzzy_places(query_, name);
    for (std::size_t at = 0; at < name.size();) {
      const std::size_t size = cluster_at(name, at).bytes;
      Style style{is_chosen ? Role::kSelection : Role::kText};
      if (std::binary_search(places.begin(), places.end(), at)) style.bold = style.underline = true;
      column = surface.put(line, row, column, std::string_view(name).substr(at, size), style);
      at += size;
    }
    surface.put(line, row, name_at + name_columns + 2, visible(candidate.detail),
                {is_chosen ? Role::kSelection : Role::kMuted});
  }
}

}  // namespace magi::code::tui
