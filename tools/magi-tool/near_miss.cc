#include "tools/magi-tool/near_miss.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "libcommon/base/utf8.h"
#include "tools/magi-tool/text.h"

namespace magi::toolbox {
namespace {

constexpr std::size_t kMostWanted = 200;     // lines of the text that are looked for
constexpr std::size_t kMostVotes = 1 << 18;  // places that are compared
constexpr std::size_t kShownLines = 8, kShownCharacters = 200;

using Lines = std::vector<std::string_view>;

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front()))) line.remove_prefix(1);
  return line;
}

// As read prints lines: a number and a tab.
bool looks_numbered(const Lines& lines) {
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    return digits > 0 && digits < line.size() && line[digits] == '\t';
  });
}

std::string shown(std::string_view line) {
  std::string out;
  append_clipped(out, utf8::sanitize(line), kShownCharacters);
  return out;
}

// Each line of the content that is one of the wanted votes for the place where the first wanted one would stand.
class Votes {
 public:
  Votes(const Lines& want, std::size_t near) : near_(near) {
    for (std::size_t at = 0; at < std::min(want.size(), kMostWanted); ++at)
      if (const std::string_view line = trimmed(want[at]); !line.empty()) places_[line].push_back(at);
  }
  void look(std::string_view line, std::size_t at) {
    const auto found = places_.find(trimmed(line));
    if (found == places_.end()) return;
    for (const std::size_t place : found->second) {
      if (votes_.size() >= kMostVotes) return;
      const auto start = static_cast<std::int64_t>(at) - static_cast<std::int64_t>(place);
      const int count = ++votes_[start];
      if (count > best_count_ || (count == best_count_ && distance(start) < distance(*best_))) best_ = start;
      best_count_ = std::max(best_count_, count);
    }
  }
  std::optional<std::int64_t> best() const { return best_; }

 private:
  std::int64_t distance(std::int64_t start) const {
    return near_ == 0 ? start : std::abs(start + 1 - static_cast<std::int64_t>(near_));
  }
  std::size_t near_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> places_;
  std::unordered_map<std::int64_t, int> votes_;
  std::optional<std::int64_t> best_;
  int best_count_ = 0;
};

// How much of two lines agrees at their ends, of 100.
std::size_t likeness(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size()), longer = std::max(a.size(), b.size());
  if (longer == 0) return 0;
  std::size_t head = 0, tail = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  return 100 * (head + tail) / longer;
}

std::string excerpt(const Lines& lines, std::size_t from, std::size_t count) {
  std::string out;
  for (std::size_t at = from; at < std::min(from + std::min(count, kShownLines), lines.size()); ++at)
    out += "\n" + std::to_string(at + 1) + "\t" + shown(lines[at]);
  return out;
}

// Line by line from `from` on, beginning shortly before the first that differs.
std::string difference(const Lines& have, std::size_t from, const Lines& want) {
  std::string out;
  std::size_t lines = 0, skipped = 0;
  while (skipped < want.size() && from + skipped < have.size() && have[from + skipped] == want[skipped]) ++skipped;
  const auto put = [&](char mark, std::string number, std::string_view line) {
    if (lines++ >= kShownLines * 2) return;
    out += std::string("\n") + mark + number + "\t" + shown(line);
  };
  for (std::size_t at = skipped > 0 ? skipped - 1 : 0; at < want.size() && lines < kShownLines; ++at) {
    const bool there = from + at < have.size();
    if (there && have[from + at] == want[at]) {
      put(' ', std::to_string(from + at + 1), want[at]);
      continue;
    }
    put('-', "", want[at]);
    if (there) put('+', std::to_string(from + at + 1), have[from + at]);
  }
  return out;
}

std::string of_similar_line(const Lines& have, std::string_view first) {
  std::size_t best = 0, where = 0;
  for (std::size_t at = 0; at < have.size(); ++at) {
    if (have[at].find(first) != std::string_view::npos)
      return "Its first line occurs within line " + std::to_string(at + 1) + ":" + excerpt(have, at, 1);
    if (const std::size_t like = likeness(trimmed(have[at]), first); like > best) best = like, where = at;
  }
  if (best < 50) return "No line of the file is like its first line; read the file again.";
  return "The line most like its first one is line " + std::to_string(where + 1) + ":\n-\t" + shown(first) + "\n+" +
         std::to_string(where + 1) + "\t" + shown(trimmed(have[where]));
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string near_miss(std::string_view content, std::string_view text, std::size_t near) {
  const Lines want = lines_of(text), have = lines_of(content);
  if (looks_numbered(want)) return "It seems to hold the line numbers that read prints: leave them out.";
  const auto first =
      std::find_if(want.begin(), want.end(), [](std::string_view line) { return !trimmed(line).empty(); });
  if (first == want.end()) return "It is white space only.";
  Votes votes(want, near);
  for (std::size_t at = 0; at < have.size(); ++at) votes.look(have[at], at);
  if (!votes.best()) return of_similar_line(have, trimmed(*first));
  const auto from = static_cast<std::size_t>(std::max<std::int64_t>(*votes.best(), 0));
  std::size_t same = 0, loose = 0;
  for (std::size_t at = 0; at < want.size() && from + at < have.size(); ++at) {
    same += have[from + at] == want[at];
    loose += trimmed(have[from + at]) == trimmed(want[at]);
  }
  const std::string place = want.size() == 1 ? "line " + std::to_string(from + 1)
                                             : "lines " + std::to_string(from + 1) + "-" +
                                                   std::to_string(std::min(from + want.size(), have.size()));
  if (loose == want.size()) {
    const std::string capital = std::string(want.size() == 1 ? "Line" : "Lines") + place.substr(place.find(' '));
    return capital + (want.size() == 1 ? " differs" : " differ") +
           " from it in white space only:" + excerpt(have, from, want.size());
  }
  return "The nearest candidate is " + place + ", where " + std::to_string(same) + " of " +
         counted(static_cast<std::int64_t>(want.size()), "line", "lines") + " agree:" + difference(have, from, want);
}

}  // namespace magi::toolbox
