// read: a window of lines with their numbers; images as parts; anything else described.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libcommon/base/utf8.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/os/disk.h"
#include "tools/magi-tool/file_bytes.h"
#include "tools/magi-tool/image.h"
#include "tools/magi-tool/session.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {
    {"path", Type::kString, false, ""},
    {"paths", Type::kStrings, false, "instead of path: several files"},
    {"offset", Type::kInteger, false, "first line, from 1"},
    {"limit", Type::kInteger, false, "number of lines"},
};

constexpr std::int64_t kLines = 2'000;
constexpr std::size_t kLineCharacters = 2'000;
constexpr std::size_t kMargin = 400;  // of the view, for the closing remark
constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::size_t kDumpedBytes = 256;

struct Window {
  std::int64_t offset = 1, limit = kLines;
  std::size_t characters = kViewCharacters - kMargin;  // what may still be written
};

// One pass over a file: hashes it (when it is small enough to be hashed) and collects the lines of the window.
class Scan {
 public:
  Scan(int fd, const struct stat& status, const Window& window, std::string& out)
      : fd_(fd), size_(status.st_size), hashing_(status.st_size <= kLargestHashed), window_(window), out_(out) {}

  Result<void> run(const std::string& shown);

  std::string sha256() const { return hashing_ ? digest_.hex() : std::string(); }
  std::int64_t first() const { return window_.offset; }
  std::int64_t last() const { return last_; }
  // Whole lines of the file, or 0 where the end was not read.
  std::int64_t lines() const { return at_end_ ? line_ - (column_start_ ? 1 : 0) : 0; }
  bool full() const { return full_; }
  std::size_t used() const { return used_; }
  std::uint64_t replaced() const { return replaced_; }
  std::int64_t crlf() const { return crlf_; }

 private:
  void take(std::string_view block);
  void end_line();
  void show_line();

  int fd_;
  std::int64_t size_;
  bool hashing_;
  Window window_;
  std::string& out_;
  Sha256 digest_;
  std::string current_;              // of the line being read, at most kKeptBytes
  std::uint64_t current_bytes_ = 0;  // of it altogether
  std::int64_t line_ = 1, last_ = 0, crlf_ = 0;
  bool column_start_ = true, full_ = false, at_end_ = false;
  std::size_t used_ = 0;
  std::uint64_t replaced_ = 0;

  static constexpr std::size_t kKeptBytes = 4 * kLineCharacters + 4;
};

void Scan::end_line() {
  if (line_ >= window_.offset && !full_) show_line();
  current_.clear();
  current_bytes_ = 0;
}

void Scan::show_line() {
  const bool whole = current_bytes_ == current_.size();
  const bool crlf = whole && current_.ends_with('\r');
  // What is cut off may have begun a character; that is no damage of the file.
  if (crlf)
    current_.pop_back();
  else if (!whole)
    current_.resize(current_.size() - incomplete_end(current_));
  std::uint64_t replaced = 0;
  std::string text = visible(utf8::sanitize(current_, &replaced));
  if (!whole || utf8::count(text) > kLineCharacters) {
    text.resize(utf8::prefix_bytes(text, kLineCharacters));
    text += "[... a line of " + std::to_string(current_bytes_) + " bytes]";
  }
  text = std::to_string(line_) + '\t' + text + '\n';
  const std::size_t characters = utf8::count(text);
  full_ = line_ - window_.offset >= window_.limit || (used_ + characters > window_.characters && used_ > 0);
  if (full_) return;
  out_ += text;
  used_ += characters;
  last_ = line_;
  replaced_ += replaced;
  if (crlf) ++crlf_;
}

void Scan::take(std::string_view block) {
  while (!block.empty()) {
    const std::size_t end = std::min(block.find('\n'), block.size());
    const bool ends = end < block.size();
    if (line_ >= window_.offset && !full_) {
      if (current_.size() < kKeptBytes) current_.append(block.substr(0, std::min(end, kKeptBytes - current_.size())));
      current_bytes_ += end;
    }
    column_start_ = ends;
    if (ends) {
      end_line();
      ++line_;
    }
    block.remove_prefix(std::min(end + 1, block.size()));
  }
}

Result<void> Scan::run(const std::string& shown) {
  std::string block(std::min<std::size_t>(kBlockBytes, static_cast<std::size_t>(size_) + 1), '\0');
  for (std::int64_t at = 0; hashing_ || !full_;) {
    const ssize_t got = os::disk().pread(fd_, block.data(), block.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int why = errno;
      return errno_error(quoted(shown), why);
    }
    if (got == 0) {
      at_end_ = true;
      if (!column_start_) end_line();
      return {};
    }
    const std::string_view bytes(block.data(), static_cast<std::size_t>(got));
    if (hashing_) digest_.update(bytes);
    take(bytes);
    at += got;
  }
  return {};
}

// 16 bytes a row: hexadecimal in pairs, then as characters.
std::string dump(std::string_view bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  constexpr std::size_t kRow = 16, kHexWidth = 40;
  std::string out;
  for (std::size_t row = 0; row < bytes.size(); row += kRow) {
    std::string hex, plain;
    for (const char c : bytes.substr(row, kRow)) {
      const auto byte = static_cast<unsigned char>(c);
      hex += kHex[byte >> 4];
      hex += kHex[byte & 15];
      plain += byte >= 0x20 && byte < 0x7f ? c : '.';
      if (plain.size() % 2 == 0) hex += ' ';
    }
    hex.resize(kHexWidth, ' ');
    out += hex + ' ' + plain + '\n';
  }
  return out;
}

std::string closing_remark(const Scan& scan, const struct stat& status) {
  if (status.st_size == 0) return "[empty file]\n";
  const std::string total =
      scan.lines() > 0 ? std::to_string(scan.lines()) + " lines" : std::to_string(status.st_size) + " bytes";
  std::string remark;
  if (scan.last() == 0)
    remark = "[no line " + std::to_string(scan.first()) + ": the file has " + total + "]\n";
  else if (scan.full())
    remark = "[lines " + std::to_string(scan.first()) + "-" + std::to_string(scan.last()) + " of " + total +
             "; go on with offset " + std::to_string(scan.last() + 1) + "]\n";
  if (scan.replaced() > 0)
    remark += "[not valid UTF-8: " + counted(static_cast<std::int64_t>(scan.replaced()), "byte", "bytes") +
              " shown as U+FFFD]\n";
  if (scan.crlf() > 0)
    remark += "[" + counted(scan.crlf(), "of these lines ends", "of these lines end") + " with CRLF]\n";
  return remark;
}

Result<std::string> first_bytes(int fd, const std::string& shown) {
  std::string start(8192, '\0');
  const ssize_t got = os::disk().pread(fd, start.data(), start.size(), 0);
  if (got < 0) {
    const int why = errno;
    return errno_error(quoted(shown), why);
  }
  start.resize(static_cast<std::size_t>(got));
  return start;
}

Result<void> read_one(Call& call, const std::string& path, Window& window, Outcome& outcome) {
  Session& session = call.session;
  MAGI_TRY(const Place place, session.workspace.locate(path));
  MAGI_CHECK(allow_read(call, place));
  Result<os::Fd> opened = open_regular(session.workspace, place);
  if (!opened) {
    if (opened.error().code == ErrorCode::kNotFound) session.observed.forget(place.shown);
    return opened.error();
  }
  if (place.outside) call.details.provenance = provenance::kOutside;
  struct stat status {};
  if (os::disk().fstat(opened->get(), &status) != 0) return errno_error(quoted(place.shown), errno);
  MAGI_TRY(const std::string start, first_bytes(opened->get(), place.shown));
  if (const std::string_view media = image_type(start); !media.empty()) {
    MAGI_TRY(event::Part part, image_part(opened->get(), media, place.shown));
    outcome.output += "[image " + std::string(media) + ", " + std::to_string(status.st_size) + " bytes]\n";
    outcome.parts.push_back(std::move(part));
    return {};
  }
  const Encoding encoding = encoding_of(start);
  if (encoding == Encoding::kBinary || encoding == Encoding::kUtf16) {
    outcome.output += std::string(encoding == Encoding::kUtf16 ? "[UTF-16 text" : "[binary file") + ", " +
                      std::to_string(status.st_size) + " bytes; it starts with]\n" +
                      dump(std::string_view(start).substr(0, kDumpedBytes));
    return {};
  }
  Scan scan(opened->get(), status, window, outcome.output);
  MAGI_CHECK(scan.run(place.shown));
  outcome.output += closing_remark(scan, status);
  window.characters -= std::min(window.characters, scan.used());
  if (std::string sha256 = scan.sha256(); true) {
    if (!sha256.empty()) call.details.observed.push_back({place.shown, sha256});
    session.observed.saw(place.shown, stamp_of(status), std::move(sha256));
  }
  return {};
}

Result<Outcome> run(Call& call) {
  const std::string* const path = call.arguments.text("path");
  const auto* const paths = call.arguments.texts("paths");
  if ((path != nullptr) == (paths != nullptr)) return make_error(ErrorCode::kUsage, "give either 'path' or 'paths'");
  Window window;
  window.offset = call.arguments.integer("offset").value_or(1);
  window.limit = call.arguments.integer("limit").value_or(kLines);
  call.effects.kind = "read";
  call.details.provenance = provenance::kWorkspace;
  Outcome outcome;
  if (path != nullptr) {
    MAGI_CHECK(read_one(call, *path, window, outcome));
    return outcome;
  }
  if (call.arguments.has("offset") || call.arguments.has("limit"))
    return make_error(ErrorCode::kUsage, "'offset' and 'limit' go with 'path', not with 'paths'");
  // One missing file does not hide the others.
  bool any = false;
  for (const std::string& one : *paths) {
    outcome.output += "==> " + one + " <==\n";
    if (window.characters == 0) {
      outcome.output += "[left out: read it by itself]\n";
      continue;
    }
    if (const Result<void> done = read_one(call, one, window, outcome); done)
      any = true;
    else
      outcome.output += "[" + done.error().what + "]\n";
  }
  if (!any) outcome.status = Status::kError;
  return outcome;
}

}  // namespace

const Tool kRead{"read", "Read files, as numbered lines.", kParameters, "path", run};

}  // namespace magi::toolbox
