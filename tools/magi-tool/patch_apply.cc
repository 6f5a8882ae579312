#include <algorithm>
#include <optional>

#include "libcommon/base/error.h"
#include "tools/magi-tool/near_miss.h"
#include "tools/magi-tool/patch_text.h"
#include "tools/magi-tool/replacement.h"

namespace magi::toolbox {
namespace {

std::string_view without_cr(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool same(std::string_view a, std::string_view b) { return without_cr(a) == without_cr(b); }

std::string joined(const std::vector<std::string_view>& lines) {
  std::string out;
  for (const std::string_view line : lines) out.append(line).push_back('\n');
  return out;
}

class Application {
 public:
  explicit Application(std::string_view content)
      : content_(content),
        lines_(lines_of(content)),
        unended_(!content.empty() && content.back() != '\n'),
        crlf_(all_lines_end_with_crlf(content)) {
    out_.reserve(content.size() + content.size() / 16);
  }

  Result<void> apply(const Hunk& hunk, std::size_t index) {
    std::vector<std::string_view> old;
    for (const PatchLine& line : hunk.lines)
      if (line.kind != '+') old.push_back(line.text);
    which_ = "hunk " + std::to_string(index + 1) + " (line " + std::to_string(hunk.at) + " of the patch)";
    MAGI_TRY(const std::size_t at, place(hunk, old));
    copy_to(at);
    for (const PatchLine& line : hunk.lines) {
      if (line.kind == ' ') copy_to(next_ + 1);
      if (line.kind == '-') ++next_;
      if (line.kind == '+') add(line, at);
      // A marker speaks of the new file where it stands behind a line that is in it.
      if (line.unended && line.kind != '-') ends_ = false;
      if (line.unended && line.kind == '-' && !ends_) ends_ = true;
    }
    offset_ = hunk.line == 0
                  ? offset_
                  : static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(expected(hunk, old.empty()));
    return {};
  }

  std::string finish() {
    const bool touched_end = next_ >= lines_.size();
    copy_to(lines_.size());
    const bool want_end = ends_.value_or(touched_end ? !unended_ : out_.ends_with('\n'));
    if (!out_.empty() && want_end && !out_.ends_with('\n')) out_ += '\n';
    if (!want_end && out_.ends_with('\n') && touched_end) {
      out_.pop_back();
      if (crlf_ && out_.ends_with('\r')) out_.pop_back();
    }
    return std::move(out_);
  }

 private:
  // Index of the line at which it should begin, by what it says.
  static std::size_t expected(const Hunk& hunk, bool only_adds) {
    // "-5,0": behind line 5.
    return only_adds ? hunk.line : hunk.line - 1;
  }

  bool matches(std::size_t at, const std::vector<std::string_view>& old) const {
    if (at + old.size() > lines_.size()) return false;
    return std::equal(old.begin(), old.end(), lines_.begin() + static_cast<std::ptrdiff_t>(at), same);
  }

  Result<std::size_t> place(const Hunk& hunk, const std::vector<std::string_view>& old) const {
    if (hunk.line > 0 || (old.empty() && hunk.heading.empty() && hunk.line == 0)) return by_number(hunk, old);
    std::size_t from = next_;
    if (!hunk.heading.empty()) {
      const auto found = std::find_if(lines_.begin() + static_cast<std::ptrdiff_t>(from), lines_.end(),
                                      [&](std::string_view line) { return is_heading(line, hunk.heading); });
      if (found == lines_.end())
        return fail("the line after @@, " + quoted(hunk.heading) + ", was not found; " +
                    near_miss(content_, hunk.heading));
      from = static_cast<std::size_t>(found - lines_.begin());
      // What it names may be the first of the lines that follow.
      if (!matches(from, old)) ++from;
      if (old.empty()) return from;
    }
    return first_from(hunk, old, from);
  }
  static bool is_heading(std::string_view line, std::string_view heading) {
    const std::size_t start = line.find_first_not_of(" \t"), want = heading.find_first_not_of(" \t");
    if (start == std::string_view::npos || want == std::string_view::npos) return false;
    return same(line.substr(start), heading.substr(want));
  }

  Result<std::size_t> first_from(const Hunk& hunk, const std::vector<std::string_view>& old, std::size_t from) const {
    std::vector<std::size_t> found;
    if (hunk.at_end && lines_.size() >= old.size() && lines_.size() - old.size() >= from &&
        matches(lines_.size() - old.size(), old))
      return lines_.size() - old.size();
    for (std::size_t at = from; at + old.size() <= lines_.size() && found.size() < 2; ++at)
      if (matches(at, old)) found.push_back(at);
    if (found.empty()) return not_there(old, from + 1);
    if (found.size() > 1 && hunk.heading.empty())
      return fail("its lines occur more than once, at lines " + std::to_string(found[0] + 1) + " and " +
                  std::to_string(found[1] + 1) + "; add lines around it");
    return found[0];
  }

  // The nearest match to where it says it is.
  Result<std::size_t> by_number(const Hunk& hunk, const std::vector<std::string_view>& old) const {
    if (old.empty() && hunk.line == 0) return lines_.empty() ? 0 : lines_.size();
    const auto wanted = static_cast<std::ptrdiff_t>(expected(hunk, old.empty())) + offset_;
    const auto at = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(wanted, static_cast<std::ptrdiff_t>(next_),
                                                                        static_cast<std::ptrdiff_t>(lines_.size())));
    if (old.empty()) return at;
    for (std::size_t away = 0; away <= lines_.size(); ++away) {
      const bool below = at + away < lines_.size() && matches(at + away, old);
      const bool above = away > 0 && at >= next_ + away && matches(at - away, old);
      if (below && above)
        return fail("its lines occur at lines " + std::to_string(at - away + 1) + " and " +
                    std::to_string(at + away + 1) + ", equally near to where it says; add lines around it");
      if (below) return at + away;
      if (above) return at - away;
    }
    return not_there(old, at + 1);
  }

  Error not_there(const std::vector<std::string_view>& old, std::size_t near) const {
    return fail("its lines were not found. " + near_miss(content_, joined(old), near));
  }
  Error fail(const std::string& why) const { return make_error(ErrorCode::kUsage, which_, ": ", why); }

  void copy_to(std::size_t line) {
    for (; next_ < line; ++next_) {
      end_last();
      out_.append(lines_[next_]);
      if (next_ + 1 < lines_.size() || !unended_) out_ += '\n';
    }
  }
  void add(const PatchLine& line, std::size_t near) {
    end_last();
    const std::size_t neighbour = std::min(near, lines_.empty() ? 0 : lines_.size() - 1);
    const bool as_crlf = crlf_ || (neighbour + 1 < lines_.size() && lines_[neighbour].ends_with('\r'));
    out_.append(as_crlf ? without_cr(line.text) : line.text).append(as_crlf ? "\r\n" : "\n");
  }
  // The old last line is not the last one any more.
  void end_last() {
    if (!out_.empty() && out_.back() != '\n') out_ += crlf_ ? "\r\n" : "\n";
  }

  std::string_view content_;
  std::vector<std::string_view> lines_;
  bool unended_, crlf_;
  std::size_t next_ = 0;  // the first line that is not in `out_` yet
  std::ptrdiff_t offset_ = 0;
  std::optional<bool> ends_;  // whether the new file ends with a line end, where the patch says so
  std::string out_, which_;
};

}  // namespace

Result<std::string> apply_hunks(std::string_view content, const std::vector<Hunk>& hunks) {
  Application application(content);
  for (std::size_t index = 0; index < hunks.size(); ++index) MAGI_CHECK(application.apply(hunks[index], index));
  return application.finish();
}

}  // namespace magi::toolbox
