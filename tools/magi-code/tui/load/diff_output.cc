#include "tools/magi-code/tui/load/diff_output.h"

#include <algorithm>

namespace magi::code::tui {
namespace {

constexpr std::string_view kHeader = "diff --git ", kUnmerged = "* Unmerged path ";

// Takes what stands before the next NUL.
std::string_view take(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\0'), rest.size());
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return field;
}

std::string_view status_of(char letter) {
  switch (letter) {
    case 'A': return "added";
    case 'D': return "deleted";
    case 'R':
    case 'C': return "renamed";
    case 'U': return "conflict";
    default: return "modified";
  }
}

// ":100644 100644 1234567 0000000 R086" and one path, or two of a rename.
DiffFile take_entry(std::string_view& rest) {
  DiffFile file;
  const std::string_view head = take(rest);
  const std::size_t blank = head.rfind(' ');
  const char letter = blank + 1 < head.size() ? head[blank + 1] : 'M';
  file.status = status_of(letter);
  file.path = take(rest);
  if (letter == 'R' || letter == 'C') {
    file.old_path = std::move(file.path);
    file.path = take(rest);
  }
  return file;
}

// The end of the patch that `text` begins with: no line of a hunk begins with these words.
std::size_t patch_end(std::string_view text) {
  const std::size_t next = text.find("\ndiff --git ");
  const std::size_t unmerged = text.find("\n* Unmerged path ");
  const std::size_t end = std::min(next, unmerged);
  return end == std::string_view::npos ? text.size() : end + 1;
}

// A path as a header names it: in quotes where it holds what would end a line or a word.
std::string header_path(std::string_view side, std::string_view path) {
  constexpr std::string_view kEscaped = "\a\b\t\n\v\f\r\"\\", kLetters = "abtnvfr\"\\";
  std::string out(side);
  bool quoted = false;
  for (const char c : path) {
    if (const std::size_t known = kEscaped.find(c); known != std::string_view::npos) {
      out.append("\\") += kLetters[known];
    } else if ((c >= 0 && c < 0x20) || c == 0x7f) {
      out += '\\';
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((c >> shift) & 7));
    } else {
      out += c;
      continue;
    }
    quoted = true;
  }
  return quoted ? '"' + out + '"' : out;
}

bool begins_with_patch_of(std::string_view rest, const DiffFile& file) {
  if (file.status == "conflict") return rest.starts_with(kUnmerged);
  const std::string& before = file.old_path.empty() ? file.path : file.old_path;
  return rest.starts_with(std::string(kHeader) + header_path("a/", before) + ' ' + header_path("b/", file.path) + '\n');
}

void take_patch(DiffFile& file, std::string_view& rest) {
  // A change of type is a deletion and a creation, each with a header of its own.
  while (begins_with_patch_of(rest, file)) {
    const std::size_t end = patch_end(rest);
    const std::string_view patch = rest.substr(0, end);
    rest.remove_prefix(end);
    const std::size_t hunk = patch.find("\n@@ ");
    if (hunk != std::string_view::npos)
      file.patch += patch.substr(hunk + 1);
    else if (patch.find("\nBinary files ") != std::string_view::npos ||
             patch.find("\nGIT binary patch") != std::string_view::npos)
      file.binary = true;
    else if (patch.find("\nnew mode ") != std::string_view::npos)
      file.note = "its mode has changed";
  }
}

// An unmerged path stands twice: as such, and with what it holds against HEAD.
void merge_conflicts(std::vector<DiffFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].status != "conflict") continue;
    for (std::size_t twin = files.size(); twin-- > 0;) {
      if (twin == i || files[twin].path != files[i].path) continue;
      if (files[i].patch.empty()) {
        files[i].patch = std::move(files[twin].patch);
        files[i].added = files[twin].added;
        files[i].removed = files[twin].removed;
      }
      files.erase(files.begin() + static_cast<std::ptrdiff_t>(twin));
      if (twin < i) --i;
    }
  }
}

}  // namespace

void finish_patch(DiffFile& file) {
  for (std::size_t at = 0; at < file.patch.size();) {
    if (file.patch[at] == '+') ++file.added;
    if (file.patch[at] == '-') ++file.removed;
    const std::size_t end = file.patch.find('\n', at);
    at = end == std::string::npos ? file.patch.size() : end + 1;
  }
  if (file.patch.size() <= kMostPatchBytes) return;
  const std::size_t line = file.patch.rfind('\n', kMostPatchBytes);
  file.patch.resize(line == std::string::npos ? kMostPatchBytes : line + 1);
  file.note = "only the beginning is shown";
}

std::vector<DiffFile> parse_diff_output(std::string_view text, bool cut) {
  std::vector<DiffFile> files;
  while (text.starts_with(':')) files.push_back(take_entry(text));
  if (text.starts_with('\0')) text.remove_prefix(1);
  for (DiffFile& file : files) {
    take_patch(file, text);
    finish_patch(file);
    if (cut && text.empty() && file.patch.empty() && !file.binary) file.note = "not shown: there are too many changes";
  }
  merge_conflicts(files);
  return files;
}

void show_as_added(DiffFile& file, std::string_view content, bool cut) {
  if (content.substr(0, 8000).find('\0') != std::string_view::npos) {
    file.binary = true;
    return;
  }
  std::string body;
  std::int64_t lines = 0;
  for (std::string_view rest = content; !rest.empty(); ++lines) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    body.append("+").append(rest.substr(0, end)) += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (lines > 0) file.patch = "@@ -0,0 +1," + std::to_string(lines) + " @@\n" + body;
  file.note = cut ? "only the beginning is shown" : content.empty() ? "empty" : "";
  file.added = lines;
}

}  // namespace magi::code::tui
