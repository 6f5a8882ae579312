// read: a window of lines with their numbers; images as parts; anything else described.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "libcommon/base/image_header.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/os/disk.h"
#include "tools/magi-tool/file_bytes.h"
#include "tools/magi-tool/image.h"
#include "tools/magi-tool/line_window.h"
#include "tools/magi-tool/session.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/text_form.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {
    {"path", Type::kString, false, ""},
    {"paths", Type::kStrings, false, "instead of path: several files"},
    {"offset", Type::kInteger, false, "first line, from 1"},
    {"limit", Type::kInteger, false, "number of lines"},
    {"anchors", Type::kBoolean, false, "lines as 12:a3f1|text, for edit"},
};

constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::size_t kSampleBytes = 1024 * 1024;           // by which the encoding is told
constexpr std::int64_t kLargestDecoded = 16 * 1024 * 1024;  // files in other encodings, which are read as a whole
constexpr std::size_t kDumpedBytes = 256;

// One pass over a file: hashes it (when it is small enough to be hashed) and cuts the window out.
Result<std::string> scan(int fd, const struct stat& status, const TextForm& form, LineWindow& lines,
                         const std::string& shown) {
  const bool hashing = status.st_size <= kLargestHashed;
  Sha256 digest;
  std::string block(std::min<std::size_t>(kBlockBytes, static_cast<std::size_t>(status.st_size) + 1), '\0');
  for (std::int64_t at = 0; hashing || !lines.full();) {
    const ssize_t got = os::disk().pread(fd, block.data(), block.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int why = errno;
      return errno_error(quoted(shown), why);
    }
    if (got == 0) {
      lines.finish();
      break;
    }
    const std::string_view bytes(block.data(), static_cast<std::size_t>(got));
    if (hashing) digest.update(bytes);
    lines.take(at == 0 ? bytes.substr(std::min(mark_bytes(form), bytes.size())) : bytes);
    at += got;
  }
  return hashing ? digest.hex() : std::string();
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

std::string closing_remark(const LineWindow& lines, const struct stat& status, const TextForm& form) {
  if (status.st_size == 0) return "[empty file]\n";
  const std::string total =
      lines.lines() > 0 ? std::to_string(lines.lines()) + " lines" : std::to_string(status.st_size) + " bytes";
  std::string remark;
  if (lines.last() == 0)
    remark = "[no line " + std::to_string(lines.first()) + ": the file has " + total + "]\n";
  else if (lines.full())
    remark = "[lines " + std::to_string(lines.first()) + "-" + std::to_string(lines.last()) + " of " + total +
             "; go on with offset " + std::to_string(lines.last() + 1) + "]\n";
  if (!form.is_bytes())
    remark += "[" + std::string(charset_name(form.charset)) + (form.mark ? "" : ", as it seems") +
              "; edit and write keep that]\n";
  if (lines.replaced() > 0)
    remark += "[not valid UTF-8: " + counted(static_cast<std::int64_t>(lines.replaced()), "byte", "bytes") +
              " shown as U+FFFD]\n";
  if (lines.crlf() > 0)
    remark += "[" + counted(lines.crlf(), "of these lines ends", "of these lines end") + " with CRLF]\n";
  return remark;
}

Result<std::string> first_bytes(int fd, const struct stat& status, const std::string& shown) {
  std::string start(std::min(kSampleBytes, static_cast<std::size_t>(status.st_size)), '\0');
  const ssize_t got = os::disk().pread(fd, start.data(), start.size(), 0);
  if (got < 0) {
    const int why = errno;
    return errno_error(quoted(shown), why);
  }
  start.resize(static_cast<std::size_t>(got));
  return start;
}

// By how such files begin; empty: not one of these.
std::string_view binary_kind(std::string_view start) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, std::string_view> kKinds[] = {{"\x7f"
                                                                       "ELF"sv,
                                                                       "ELF"},
                                                                      {"PK\3\4"sv, "ZIP"},
                                                                      {"%PDF-"sv, "PDF"},
                                                                      {"\x1f\x8b"sv, "gzip"},
                                                                      {"\xfd"
                                                                       "7zXZ"sv,
                                                                       "xz"},
                                                                      {"\x28\xb5\x2f\xfd"sv, "zstd"},
                                                                      {"SQLite format 3"sv, "SQLite"},
                                                                      {"\0asm"sv, "WebAssembly"},
                                                                      {"\xca\xfe\xba\xbe"sv, "Java class"}};
  for (const auto& [begin, kind] : kKinds)
    if (start.starts_with(begin)) return kind;
  return {};
}

std::string description(std::string_view start, const TextForm& form, const struct stat& status) {
  const std::string_view kind = binary_kind(start);
  const std::string what = form.charset != Charset::kBinary ? std::string(charset_name(form.charset)) + " text"
                                                            : "binary file" + std::string(kind.empty() ? "" : " (") +
                                                                  std::string(kind) + (kind.empty() ? "" : ")");
  return "[" + what + ", " + std::to_string(status.st_size) + " bytes; it starts with]\n" +
         dump(start.substr(0, kDumpedBytes));
}

// The whole text of a file in an encoding of its own, and the digest of its bytes; an error where it is not valid.
Result<std::string> decode_all(int fd, const TextForm& form, const std::string& shown, std::string& sha256) {
  MAGI_TRY(FileBytes file, read_whole(fd, shown));
  sha256 = std::move(file.sha256);
  return decoded(file.bytes, form);
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
  MAGI_TRY(const std::string start, first_bytes(opened->get(), status, place.shown));
  if (const std::string_view media = read_image_header(start).media_type; !media.empty()) {
    MAGI_TRY(event::Part part, image_part(opened->get(), media, place.shown));
    outcome.output += "[image " + std::string(media) + ", " + std::to_string(status.st_size) + " bytes]\n";
    outcome.parts.push_back(std::move(part));
    return {};
  }
  TextForm form = text_form(start, static_cast<std::int64_t>(start.size()) >= status.st_size);
  std::string sha256;
  LineWindow lines(window, outcome.output);
  Result<std::string> text = make_error(ErrorCode::kLimit, "");
  if (!form.is_bytes() && status.st_size <= kLargestDecoded)
    text = decode_all(opened->get(), form, place.shown, sha256);
  const bool is_utf16 = form.charset == Charset::kUtf16Le || form.charset == Charset::kUtf16Be;
  if (text) {
    lines.take(*text);
    lines.finish();
  } else if (form.charset == Charset::kBinary || is_utf16) {
    outcome.output += description(start, form, status);
    return {};
  } else {
    if (!form.is_bytes()) form = {};
    MAGI_TRY(sha256, scan(opened->get(), status, form, lines, place.shown));
  }
  outcome.output += closing_remark(lines, status, form);
  window.characters -= std::min(window.characters, lines.used());
  if (!sha256.empty()) call.details.observed.push_back({place.shown, sha256});
  session.observed.saw(place.shown, stamp_of(status), std::move(sha256));
  return {};
}

Result<Outcome> run(Call& call) {
  const std::string* const path = call.arguments.text("path");
  const auto* const paths = call.arguments.texts("paths");
  if ((path != nullptr) == (paths != nullptr)) return make_error(ErrorCode::kUsage, "give either 'path' or 'paths'");
  Window window;
  window.offset = call.arguments.integer("offset").value_or(1);
  window.limit = call.arguments.integer("limit").value_or(Window::kLines);
  window.anchors = call.arguments.flag("anchors");
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
