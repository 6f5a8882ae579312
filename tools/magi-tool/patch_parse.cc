#include <algorithm>
#include <charconv>

#include "libcommon/base/error.h"
#include "tools/magi-tool/patch_text.h"

namespace magi::toolbox {
namespace {

constexpr std::string_view kNowhere = "/dev/null";
constexpr std::string_view kSignature = "-- ";  // what git writes behind a patch for mail
constexpr std::string_view kEnd = "*** End Patch", kEndOfFile = "*** End of File";
constexpr std::string_view kAdd = "*** Add File: ", kDelete = "*** Delete File: ", kUpdate = "*** Update File: ",
                           kMove = "*** Move to: ";

bool take(std::string_view& text, std::string_view head) {
  if (!text.starts_with(head)) return false;
  text.remove_prefix(head.size());
  return true;
}

std::string_view trimmed_end(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::size_t number(std::string_view& text) {
  std::size_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return value;
}

// A path as git writes it: quoted like a string of C where it holds what would confuse.
std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  text = text.substr(1, text.size() - 2);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char c = text[++at];
    constexpr std::string_view kNames = "abtnvfr";
    if (c >= '0' && c <= '7') {
      int value = 0;
      std::size_t digits = 0;
      for (; digits < 3 && at < text.size() && text[at] >= '0' && text[at] <= '7'; ++digits)
        value = value * 8 + (text[at++] - '0');
      --at;
      out += static_cast<char>(value);
    } else if (const std::size_t name = kNames.find(c); name != std::string_view::npos) {
      out += static_cast<char>('\a' + static_cast<char>(name));
    } else {
      out += c;
    }
  }
  return out;
}

class Parser {
 public:
  explicit Parser(std::string_view patch) {
    while (!patch.empty()) {
      const std::size_t end = std::min(patch.find('\n'), patch.size());
      lines_.push_back(patch.substr(0, end));
      patch.remove_prefix(std::min(end + 1, patch.size()));
    }
  }

  Result<std::vector<FilePatch>> parse() {
    while (!done()) {
      const std::string_view line = lines_[at_];
      if (is_envelope(line)) {
        MAGI_CHECK(envelope_file());
      } else if (line.starts_with("diff --git ") || is_header(at_)) {
        MAGI_CHECK(unified_file());
      } else if (line.starts_with("@@")) {
        return wrong("a hunk stands before any file: begin with --- and +++, or with *** Update File:");
      } else if (line.starts_with('+') || (line.starts_with('-') && line != "---" && line != kSignature)) {
        return wrong("this line belongs to no hunk");
      } else {
        ++at_;  // what people write around patches
      }
    }
    if (files_.empty())
      return make_error(ErrorCode::kUsage, "no patch: neither '--- ' and '+++ ' lines nor '*** Begin Patch' are there");
    return std::move(files_);
  }

 private:
  bool done() const { return at_ >= lines_.size(); }
  Error wrong(std::string_view what) const {
    return make_error(ErrorCode::kUsage, "line ", std::to_string(at_ + 1), " of the patch: ", what,
                      "; nothing was changed");
  }
  bool is_header(std::size_t at) const {
    return at + 1 < lines_.size() && lines_[at].starts_with("--- ") && lines_[at + 1].starts_with("+++ ");
  }
  static bool is_envelope(std::string_view line) {
    return line.starts_with(kAdd) || line.starts_with(kDelete) || line.starts_with(kUpdate);
  }
  // Where a hunk's lines end whatever the counts say.
  bool is_boundary(std::size_t at) const {
    const std::string_view line = lines_[at];
    return line.starts_with("@@") || line.starts_with("diff --git ") || line.starts_with("*** ") || is_header(at);
  }
  static bool is_body(std::string_view line) {
    return line.starts_with(' ') || line.starts_with('+') || line.starts_with('-') || line.starts_with('\\');
  }

  // --- unified differences

  static std::string path_of(std::string_view text, bool header) {
    if (header)
      if (const std::size_t tab = text.find('\t'); tab != std::string_view::npos) text = text.substr(0, tab);
    return unquoted(trimmed_end(text));
  }
  static void strip(std::string& old_path, std::string& new_path) {
    const auto marked = [](const std::string& path, std::string_view mark) {
      return path == kNowhere || path.starts_with(mark);
    };
    if (!marked(old_path, "a/") || !marked(new_path, "b/")) return;
    for (std::string* path : {&old_path, &new_path})
      if (*path != kNowhere) path->erase(0, 2);
  }

  Result<void> unified_file() {
    FilePatch file;
    std::string old_path, new_path, from, to;
    for (; !done() && !is_header(at_) && !lines_[at_].starts_with("@@"); ++at_) {
      std::string_view line = lines_[at_];
      if (line.starts_with("diff --git ")) {
        if (!from.empty() || !to.empty() || file.kind != FilePatch::Kind::kChange || file.mode) break;
        git_paths(line.substr(11), old_path, new_path);
      } else if (take(line, "new file mode ") || take(line, "new mode ")) {
        if (lines_[at_].starts_with("new file")) file.kind = FilePatch::Kind::kCreate;
        file.mode = mode(line);
      } else if (line.starts_with("deleted file mode ")) {
        file.kind = FilePatch::Kind::kRemove;
      } else if (take(line, "rename from ")) {
        from = path_of(line, false);
      } else if (take(line, "rename to ")) {
        to = path_of(line, false);
      } else if (line.starts_with("copy from ")) {
        return wrong("copies are not supported: create the new file");
      } else if (line.starts_with("GIT binary patch") || line.starts_with("Binary files ")) {
        return wrong("binary files cannot be patched");
      } else if (is_envelope(line)) {
        break;
      }
    }
    if (!done() && is_header(at_)) {
      old_path = path_of(lines_[at_].substr(4), true);
      new_path = path_of(lines_[at_ + 1].substr(4), true);
      at_ += 2;
    }
    strip(old_path, new_path);
    if (!from.empty()) old_path = from;
    if (!to.empty()) new_path = to;
    if (old_path.empty() && new_path.empty()) return wrong("the file has no name");
    if (old_path == kNowhere) file.kind = FilePatch::Kind::kCreate;
    if (new_path == kNowhere) file.kind = FilePatch::Kind::kRemove;
    file.path = file.kind == FilePatch::Kind::kCreate ? new_path : old_path;
    if (file.kind == FilePatch::Kind::kChange && new_path != old_path) file.new_path = new_path;
    while (!done() && lines_[at_].starts_with("@@")) MAGI_CHECK(unified_hunk(file));
    if (file.kind == FilePatch::Kind::kChange && file.hunks.empty() && file.new_path.empty() && !file.mode)
      return wrong("the file " + quoted(file.path) + " has no hunk");
    files_.push_back(std::move(file));
    return {};
  }

  static std::optional<mode_t> mode(std::string_view text) {
    const bool executable = trimmed_end(text).ends_with("755");
    return executable ? std::optional<mode_t>(0755) : std::optional<mode_t>(0644);
  }

  // "a/x b/x": told apart where both are the same, or quoted.
  static void git_paths(std::string_view text, std::string& old_path, std::string& new_path) {
    text = trimmed_end(text);
    const std::size_t half = text.size() / 2;
    std::size_t space = text.size() % 2 == 1 && text[half] == ' ' ? half : text.find(" b/");
    if (space == std::string_view::npos) space = text.find(" \"b/");
    if (space == std::string_view::npos) return;
    old_path = unquoted(text.substr(0, space));
    new_path = unquoted(text.substr(space + 1));
  }

  Result<void> unified_hunk(FilePatch& file) {
    Hunk hunk;
    hunk.at = at_ + 1;
    std::string_view header = lines_[at_];
    std::size_t old_count = 0, new_count = 0;
    if (take(header, "@@ -")) {
      hunk.line = number(header);
      old_count = take(header, ",") ? number(header) : 1;
      if (take(header, " +")) {
        number(header);
        new_count = take(header, ",") ? number(header) : 1;
      }
    }
    ++at_;
    if (!body(hunk, old_count, new_count)) return wrong("lines of a hunk begin with ' ', '-' or '+'");
    if (hunk.lines.empty()) return wrong("a hunk without lines");
    file.hunks.push_back(std::move(hunk));
    return {};
  }

  // Lines that the counts announce, and more of the kind: models miscount.  False: a line that is none stands where one
  // is announced.
  bool body(Hunk& hunk, std::size_t old_count, std::size_t new_count) {
    std::size_t old_seen = 0, new_seen = 0;
    for (; !done(); ++at_) {
      const std::string_view line = lines_[at_];
      const bool awaited = old_seen < old_count || new_seen < new_count;
      if (line.starts_with('\\')) {
        if (!hunk.lines.empty()) hunk.lines.back().unended = true;
        continue;
      }
      const bool minus_of_header = line.starts_with("--- ") && is_header(at_) && !awaited;
      if (minus_of_header || is_header_of_next(at_) || (!awaited && (is_boundary(at_) || line == kSignature))) break;
      if (!line.empty() && !is_body(line)) return !awaited;
      // An empty line stands for an empty one that stays, whose blank an editor has cut off; not between files.
      if (line.empty() && !awaited && !more_follows(at_)) break;
      const char kind = line.empty() ? ' ' : line.front();
      hunk.lines.push_back({kind, line.empty() ? line : line.substr(1)});
      old_seen += kind != '+';
      new_seen += kind != '-';
    }
    return true;
  }
  // A hunk or file that begins whatever was announced.
  bool is_header_of_next(std::size_t at) const {
    const std::string_view line = lines_[at];
    return line.starts_with("@@") || line.starts_with("diff --git ") || line.starts_with("*** ");
  }
  bool more_follows(std::size_t at) const {
    while (at < lines_.size() && lines_[at].empty()) ++at;
    return at < lines_.size() && !is_boundary(at) && is_body(lines_[at]);
  }

  // --- the other form

  Result<void> envelope_file() {
    FilePatch file;
    std::string_view line = lines_[at_];
    if (take(line, kAdd))
      file.kind = FilePatch::Kind::kCreate;
    else if (take(line, kDelete))
      file.kind = FilePatch::Kind::kRemove;
    else
      take(line, kUpdate);
    file.path = trimmed_end(line);
    if (file.path.empty()) return wrong("the file has no name");
    ++at_;
    if (std::string_view to = done() ? std::string_view() : lines_[at_]; take(to, kMove)) {
      if (file.kind == FilePatch::Kind::kChange) file.new_path = trimmed_end(to);
      ++at_;
    }
    while (!done() && !is_envelope(lines_[at_]) && !lines_[at_].starts_with(kEnd)) {
      if (lines_[at_].empty() && !more_follows(at_)) {
        ++at_;
        continue;
      }
      if (file.kind == FilePatch::Kind::kRemove || lines_[at_].starts_with("diff --git ")) break;
      MAGI_CHECK(envelope_hunk(file));
    }
    if (!done() && lines_[at_].starts_with(kEnd)) ++at_;
    if (file.kind == FilePatch::Kind::kChange && file.hunks.empty() && file.new_path.empty())
      return wrong("the file " + quoted(file.path) + " has no hunk");
    files_.push_back(std::move(file));
    return {};
  }

  Result<void> envelope_hunk(FilePatch& file) {
    Hunk hunk;
    hunk.at = at_ + 1;
    if (std::string_view header = lines_[at_]; take(header, "@@")) {
      header = trimmed_end(header);
      take(header, " ");
      // Some write the header of the other form.
      if (std::string_view place = header; take(place, "-")) {
        hunk.line = number(place);
      } else {
        hunk.heading = header;
      }
      ++at_;
    }
    if (!body(hunk, 0, 0) || hunk.lines.empty()) return wrong("lines of a hunk begin with ' ', '-' or '+'");
    if (!done() && lines_[at_].starts_with(kEndOfFile)) {
      hunk.at_end = true;
      ++at_;
    }
    file.hunks.push_back(std::move(hunk));
    return {};
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::vector<FilePatch> files_;
};

}  // namespace

Result<std::vector<FilePatch>> parse_patch(std::string_view patch) { return Parser(patch).parse(); }

}  // namespace magi::toolbox
