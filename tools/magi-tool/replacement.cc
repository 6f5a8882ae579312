#include "tools/magi-tool/replacement.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "libcommon/base/utf8.h"
#include "tools/magi-tool/file_bytes.h"
#include "tools/magi-tool/text.h"

namespace magi::toolbox {
namespace {

constexpr std::size_t kMostOccurrences = 1'000'000;
constexpr std::size_t kHintLines = 5;
constexpr std::size_t kHintCharacters = 200;

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front()))) line.remove_prefix(1);
  return line;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool all_lines_end_with_crlf(std::string_view content) {
  std::size_t at = content.find('\n');
  if (at == std::string_view::npos) return false;
  for (; at != std::string_view::npos; at = content.find('\n', at + 1))
    if (at == 0 || content[at - 1] != '\r') return false;
  return true;
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n' && (at == 0 || text[at - 1] != '\r')) out += '\r';
    out += text[at];
  }
  return out;
}

// As read prints lines: a number and a tab.
bool looks_numbered(const std::vector<std::string_view>& lines) {
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    return digits > 0 && digits < line.size() && line[digits] == '\t';
  });
}

// How many lines from the start agree but for the white space around them.
std::size_t agreeing_lines(const std::vector<std::string_view>& have, std::size_t from,
                           const std::vector<std::string_view>& want) {
  std::size_t count = 0;
  while (count < want.size() && from + count < have.size() && trimmed(have[from + count]) == trimmed(want[count]))
    ++count;
  return count;
}

std::string excerpt(const std::vector<std::string_view>& lines, std::size_t from, std::size_t count) {
  std::string out;
  for (std::size_t at = from; at < std::min(from + std::min(count, kHintLines), lines.size()); ++at) {
    out += "\n" + std::to_string(at + 1) + "\t";
    append_clipped(out, utf8::sanitize(lines[at]), kHintCharacters);
  }
  return out;
}

// Why the text was not found, and the place that it most likely means.
Error not_found(std::string_view content, std::string_view text, const std::string& which) {
  const std::vector<std::string_view> want = lines_of(text), have = lines_of(content);
  const auto error = [&](const auto&... parts) {
    return make_error(ErrorCode::kUsage, which, " was not found; nothing was changed. ", parts...);
  };
  if (looks_numbered(want)) return error("It seems to hold the line numbers that read prints: leave them out.");
  std::size_t best = 0, where = 0;
  const std::size_t blank = static_cast<std::size_t>(
      std::find_if(want.begin(), want.end(), [](std::string_view line) { return !trimmed(line).empty(); }) -
      want.begin());
  if (blank == want.size()) return error("It is white space only.");
  const std::vector<std::string_view> from_text(want.begin() + static_cast<std::ptrdiff_t>(blank), want.end());
  for (std::size_t at = 0; at < have.size(); ++at)
    if (const std::size_t agree = agreeing_lines(have, at, from_text); agree > best) best = agree, where = at;
  if (best == from_text.size())
    return error("Lines ", std::to_string(where + 1), "-", std::to_string(where + best),
                 " differ from it in white space only:", excerpt(have, where, best));
  if (best > 0)
    return error("The nearest candidate is at line ", std::to_string(where + 1), ", where ",
                 counted(static_cast<std::int64_t>(best), "line agrees", "lines agree"),
                 " and then this differs:", excerpt(have, where + best, kHintLines));
  const std::string_view first = trimmed(from_text.front());
  for (std::size_t at = 0; at < have.size(); ++at)
    if (have[at].find(first) != std::string_view::npos)
      return error("Its first line occurs within line ", std::to_string(at + 1), ":", excerpt(have, at, 1));
  return error("No line of the file is like its first line; read the file again.");
}

Error ambiguous(std::string_view content, const std::vector<std::size_t>& found, const std::string& which) {
  std::string lines;
  for (std::size_t at = 0; at < std::min(found.size(), kMostLinesNamed); ++at)
    lines.append(at ? ", " : "").append(std::to_string(line_of(content, found[at])));
  if (found.size() > kMostLinesNamed) lines += ", ...";
  return make_error(ErrorCode::kUsage, which, " is ambiguous: ", std::to_string(found.size()), " matches, at lines ",
                    lines, "; nothing was changed. Add lines around it, or use replace_all.");
}

struct Span {
  std::size_t begin, size;
  std::string new_text;
  std::size_t edit;  // index
};

Result<void> check_edit(std::string_view content, const Edit& edit, const std::string& which) {
  if (edit.old_text.empty()) return make_error(ErrorCode::kUsage, which, " is empty; use write to fill a file");
  if (edit.old_text == edit.new_text) return make_error(ErrorCode::kUsage, which, " and its new text are the same");
  const Encoding encoding = encoding_of(content);
  if (encoding == Encoding::kUtf16)
    return make_error(ErrorCode::kUsage, "the file is UTF-16, which edit cannot change; nothing was changed");
  const bool ascii = std::all_of(edit.new_text.begin(), edit.new_text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (encoding != Encoding::kUtf8 && !ascii)
    return make_error(ErrorCode::kUsage,
                      "the file is not valid UTF-8, so only ASCII text can be put into it; nothing was changed");
  return {};
}

// Matches of a text that do not overlap, from the start.
std::vector<std::size_t> separate(const std::vector<std::size_t>& found, std::size_t size) {
  std::vector<std::size_t> kept;
  for (const std::size_t at : found)
    if (kept.empty() || at >= kept.back() + size) kept.push_back(at);
  return kept;
}

Result<void> find_spans(std::string_view content, const Edit& edit, std::size_t index, const std::string& which,
                        bool crlf, bool replace_all, std::vector<Span>& spans) {
  MAGI_CHECK(check_edit(content, edit, which));
  std::string old_text = crlf ? with_crlf(edit.old_text) : edit.old_text;
  bool as_crlf = crlf;
  std::vector<std::size_t> found = occurrences(content, old_text, kMostOccurrences);
  if (found.empty() && !crlf && edit.old_text.find('\n') != std::string::npos) {
    old_text = with_crlf(edit.old_text);
    found = occurrences(content, old_text, kMostOccurrences);
    as_crlf = true;
  }
  if (found.empty()) return not_found(content, edit.old_text, which);
  if (found.size() > 1 && !replace_all) return ambiguous(content, found, which);
  const std::string new_text = as_crlf ? with_crlf(edit.new_text) : edit.new_text;
  for (const std::size_t at : separate(found, old_text.size())) spans.push_back({at, old_text.size(), new_text, index});
  return {};
}

}  // namespace

std::vector<std::size_t> occurrences(std::string_view content, std::string_view text, std::size_t limit) {
  std::vector<std::size_t> found;
  for (std::size_t at = content.find(text); at != std::string_view::npos && found.size() < limit;
       at = content.find(text, at + 1))
    found.push_back(at);
  return found;
}

std::size_t line_of(std::string_view content, std::size_t offset) {
  return 1 + static_cast<std::size_t>(
                 std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

Result<Replaced> replace_texts(std::string_view content, const std::vector<Edit>& edits, bool replace_all) {
  const bool crlf = all_lines_end_with_crlf(content);
  std::vector<Span> spans;
  for (std::size_t index = 0; index < edits.size(); ++index) {
    const std::string which = edits.size() == 1 ? "old_text" : "old_text of edit " + std::to_string(index + 1);
    MAGI_CHECK(find_spans(content, edits[index], index, which, crlf, replace_all, spans));
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  Replaced replaced;
  std::size_t done = 0, line = 1;
  for (const Span& span : spans) {
    if (span.begin < done)
      return make_error(ErrorCode::kUsage, "edit ", std::to_string(span.edit + 1), " overlaps another at line ",
                        std::to_string(line_of(content, span.begin)), "; nothing was changed. Join them into one.");
    const std::string_view kept = content.substr(done, span.begin - done);
    line += static_cast<std::size_t>(std::count(kept.begin(), kept.end(), '\n'));
    replaced.lines.push_back(line);
    line += static_cast<std::size_t>(std::count_if(
        content.begin() + static_cast<std::ptrdiff_t>(span.begin),
        content.begin() + static_cast<std::ptrdiff_t>(span.begin + span.size), [](char c) { return c == '\n'; }));
    replaced.content.append(kept).append(span.new_text);
    done = span.begin + span.size;
  }
  replaced.content.append(content.substr(done));
  return replaced;
}

}  // namespace magi::toolbox
