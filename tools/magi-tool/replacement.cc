#include "tools/magi-tool/replacement.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "libcommon/base/utf8.h"
#include "tools/magi-tool/byte_search.h"
#include "tools/magi-tool/near_miss.h"
#include "tools/magi-tool/text.h"

namespace magi::toolbox {
namespace {

constexpr std::size_t kMostOccurrences = 1'000'000;
constexpr std::size_t kAnchorDistance = 1'000;  // lines around an anchor's own in which its text is looked for
constexpr std::size_t kNone = std::string_view::npos;

struct Span {
  std::size_t begin, size;
  std::string new_text;
  std::size_t edit;  // index
};

Error ambiguous(std::string_view content, const std::vector<std::size_t>& found, const std::string& which) {
  std::string lines;
  for (std::size_t at = 0; at < std::min(found.size(), kMostLinesNamed); ++at)
    lines.append(at ? ", " : "").append(std::to_string(line_of(content, found[at])));
  if (found.size() > kMostLinesNamed) lines += ", ...";
  return make_error(ErrorCode::kUsage, which, " is ambiguous: ", std::to_string(found.size()), " matches, at lines ",
                    lines, "; nothing was changed. Add lines around it, or use replace_all.");
}

// Matches of a text that do not overlap, from the start.
std::vector<std::size_t> separate(const std::vector<std::size_t>& found, std::size_t size) {
  std::vector<std::size_t> kept;
  for (const std::size_t at : found)
    if (kept.empty() || at >= kept.back() + size) kept.push_back(at);
  return kept;
}

Result<void> find_text(std::string_view content, const Edit& edit, std::size_t index, const std::string& which,
                       bool crlf, bool replace_all, std::vector<Span>& spans) {
  if (edit.old_text.empty()) return make_error(ErrorCode::kUsage, which, " is empty; use write to fill a file");
  if (edit.old_text == edit.new_text) return make_error(ErrorCode::kUsage, which, " and its new text are the same");
  std::string old_text = crlf ? with_crlf(edit.old_text) : edit.old_text;
  bool as_crlf = crlf;
  std::vector<std::size_t> found = occurrences(content, old_text, kMostOccurrences);
  if (found.empty() && !crlf && edit.old_text.find('\n') != kNone) {
    old_text = with_crlf(edit.old_text);
    found = occurrences(content, old_text, kMostOccurrences);
    as_crlf = true;
  }
  if (found.empty())
    return make_error(ErrorCode::kUsage, which, " was not found; nothing was changed. ",
                      near_miss(content, edit.old_text));
  if (found.size() > 1 && !replace_all) return ambiguous(content, found, which);
  const std::string new_text = as_crlf ? with_crlf(edit.new_text) : edit.new_text;
  for (const std::size_t at : separate(found, old_text.size())) spans.push_back({at, old_text.size(), new_text, index});
  return {};
}

// A line in the content: [begin, end) without its LF; `next` is where the one behind it begins.
struct Line {
  std::size_t begin, end, next;
  bool is_ended() const { return next > end; }
};

// Requires: begin <= content.size().
Line line_from(std::string_view content, std::size_t begin) {
  const std::size_t end = std::min(content.find('\n', begin), content.size());
  return {begin, end, std::min(end + 1, content.size())};
}

std::optional<Line> numbered_line(std::string_view content, std::size_t number) {
  std::size_t begin = 0;
  for (; number > 1 && begin < content.size(); --number) begin = line_from(content, begin).next;
  if (number != 1 || begin >= content.size()) return std::nullopt;
  return line_from(content, begin);
}

std::string shown_line(std::size_t number, std::string_view text) {
  std::string out = line_anchor(number, text) + '|';
  append_clipped(out, utf8::sanitize(text), 200);
  return out;
}

// Why an anchor does not fit: what its line is now, and where its text is now, if near.
Error moved(std::string_view content, const std::string& anchor, std::size_t number, std::string_view digest) {
  std::string why = "anchor " + quoted(anchor) + " is not a line of the file as it is; nothing was changed.";
  if (const auto now = numbered_line(content, number))
    why += " That line is now:\n" + shown_line(number, content.substr(now->begin, now->end - now->begin));
  const std::size_t first = number > kAnchorDistance ? number - kAnchorDistance : 1;
  auto line = numbered_line(content, first);
  std::string found;
  std::size_t distance = kNone;
  for (std::size_t at = first; line && at < number + kAnchorDistance; ++at) {
    const std::string_view text = content.substr(line->begin, line->end - line->begin);
    const std::size_t away = at > number ? at - number : number - at;
    if (away < distance && line_anchor(at, text).ends_with(digest)) found = shown_line(at, text), distance = away;
    if (line->next >= content.size()) break;
    line = line_from(content, line->next);
  }
  if (!found.empty()) why += "\nThe text that it was made for is probably now:\n" + found;
  return make_error(ErrorCode::kUsage, why);
}

// "12:a3f1", also with what read prints behind it.
Result<Line> anchored_line(std::string_view content, const std::string& anchor) {
  const std::string_view name = std::string_view(anchor).substr(0, anchor.find_first_of("|\t "));
  std::size_t number = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
  if (parsed.ec != std::errc() || number == 0 || parsed.ptr == name.data() + name.size() || *parsed.ptr != ':')
    return make_error(ErrorCode::kUsage, "anchor ", quoted(anchor),
                      " has not the form 12:a3f1 in which read prints lines with anchors");
  const auto line = numbered_line(content, number);
  if (line && line_anchor(number, content.substr(line->begin, line->end - line->begin)) == name) return *line;
  return moved(content, anchor, number, name.substr(name.find(':')));
}

// Whole lines: a final line end in the new text is not one more line.
Result<void> find_lines(std::string_view content, const Edit& edit, std::size_t index, bool crlf,
                        std::vector<Span>& spans) {
  MAGI_TRY(const Line first, anchored_line(content, edit.anchor));
  Line last = first;
  if (!edit.end_anchor.empty()) {
    MAGI_TRY(last, anchored_line(content, edit.end_anchor));
  }
  if (last.begin < first.begin)
    return make_error(ErrorCode::kUsage, "end_anchor ", quoted(edit.end_anchor), " stands before its anchor");
  const bool as_crlf = first.is_ended() ? first.end > first.begin && content[first.end - 1] == '\r' : crlf;
  std::string text = as_crlf ? with_crlf(edit.new_text) : edit.new_text;
  const std::string end = as_crlf ? "\r\n" : "\n";
  if (text.ends_with('\n')) text.resize(text.size() - end.size());
  if (edit.insert == "before") {
    spans.push_back({first.begin, 0, text + end, index});
  } else if (edit.insert == "after") {
    spans.push_back({first.next, 0, first.is_ended() ? text + end : end + text, index});
  } else if (!edit.new_text.empty()) {
    // The line's own end stays, CR and all.
    std::size_t to = last.end;
    if (last.is_ended() && to > last.begin && content[to - 1] == '\r') --to;
    spans.push_back({first.begin, to - first.begin, text, index});
  } else if (last.is_ended() || first.begin == 0) {
    spans.push_back({first.begin, last.next - first.begin, "", index});
  } else {
    // The last line of a file without a final line end: the one before it becomes that.
    std::size_t from = first.begin - 1;
    if (from > 0 && content[from - 1] == '\r') --from;
    spans.push_back({from, last.next - from, "", index});
  }
  return {};
}

Result<Replaced> put_in(std::string_view content, const std::vector<Span>& spans) {
  std::size_t size = content.size();
  for (const Span& span : spans) size += span.new_text.size();
  Replaced replaced;
  replaced.content.reserve(size);  // once: growing a large text would need it twice for a moment
  std::size_t done = 0, line = 1;
  for (const Span& span : spans) {
    if (span.begin < done)
      return make_error(ErrorCode::kUsage, "edit ", std::to_string(span.edit + 1), " overlaps another at line ",
                        std::to_string(line_of(content, span.begin)), "; nothing was changed. Join them into one.");
    const std::string_view kept = content.substr(done, span.begin - done);
    line += count_lines(kept);
    replaced.lines.push_back(line);
    line += count_lines(content.substr(span.begin, span.size));
    replaced.content.append(kept).append(span.new_text);
    done = span.begin + span.size;
  }
  replaced.content.append(content.substr(done));
  return replaced;
}

}  // namespace

std::vector<std::size_t> occurrences(std::string_view content, std::string_view text, std::size_t limit) {
  std::vector<std::size_t> found;
  if (text.empty()) return found;
  const LiteralFinder finder(Literal{std::string(text)});
  for (std::size_t at = finder.find(content, 0); at != kNone && found.size() < limit; at = finder.find(content, at + 1))
    found.push_back(at);
  return found;
}

std::size_t line_of(std::string_view content, std::size_t offset) { return 1 + count_lines(content.substr(0, offset)); }

std::string LineDigest::anchor(std::size_t line) const {
  constexpr char kHex[] = "0123456789abcdef";
  const std::uint32_t folded = (hash_ >> 16 ^ hash_) & 0xffff;
  std::string out = std::to_string(line) + ':';
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[folded >> shift & 15];
  return out;
}

std::string line_anchor(std::size_t line, std::string_view text) {
  LineDigest digest;
  digest.add(text);
  return digest.anchor(line);
}

bool all_lines_end_with_crlf(std::string_view content) {
  std::size_t at = content.find('\n');
  if (at == kNone) return false;
  for (; at != kNone; at = content.find('\n', at + 1))
    if (at == 0 || content[at - 1] != '\r') return false;
  return true;
}

std::string with_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n' && (at == 0 || text[at - 1] != '\r')) out += '\r';
    out += text[at];
  }
  return out;
}

Result<Replaced> replace_texts(std::string_view content, const std::vector<Edit>& edits, bool replace_all) {
  const bool crlf = all_lines_end_with_crlf(content);
  std::vector<Span> spans;
  for (std::size_t index = 0; index < edits.size(); ++index) {
    const std::string which = edits.size() == 1 ? "old_text" : "old_text of edit " + std::to_string(index + 1);
    const Edit& edit = edits[index];
    MAGI_CHECK(edit.anchor.empty() ? find_text(content, edit, index, which, crlf, replace_all, spans)
                                   : find_lines(content, edit, index, crlf, spans));
  }
  std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  return put_in(content, spans);
}

}  // namespace magi::toolbox
