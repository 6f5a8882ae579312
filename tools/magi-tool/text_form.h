// How a file's text is encoded, told by its bytes, and the way to UTF-8 and back without loss.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::toolbox {

enum class Charset {
  kUtf8,
  kUtf16Le,  // with a byte order mark; without one it is binary, as git sees it
  kUtf16Be,
  kLatin1,
  kWindows1252,
  kShiftJis,  // as Windows has it, code page 932
  kGb18030,
  kUnknown,  // bytes beyond ASCII whose meaning cannot be told
  kBinary,   // a NUL byte near the start
};

struct TextForm {
  Charset charset = Charset::kUtf8;
  bool mark = false;  // begins with a byte order mark

  bool is_bytes() const {
    return charset == Charset::kUtf8 || charset == Charset::kUnknown || charset == Charset::kBinary;
  }
  bool operator==(const TextForm&) const = default;
};

// Of a whole file, or of its start (then a character that is cut off at the end does not count).  Eight-bit encodings
// are guessed by how their bytes stand together, and only where that is plain.
TextForm text_form(std::string_view bytes, bool whole = true);

// "UTF-8", "Windows-1252".
std::string_view charset_name(Charset charset);
std::size_t mark_bytes(const TextForm& form);

// To UTF-8, without the mark.  kBadRecord: the bytes are not valid in that encoding, or would not come back the same.
Result<std::string> decoded(std::string_view bytes, const TextForm& form);
// From UTF-8, with the mark.  kUsage names the first character that the encoding does not have.
Result<std::string> encoded(std::string_view text, const TextForm& form);

}  // namespace magi::toolbox
