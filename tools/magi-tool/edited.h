// A file's content as text that can be changed, whatever its encoding, and the bytes that it becomes again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "tools/magi-tool/arguments.h"
#include "tools/magi-tool/replacement.h"
#include "tools/magi-tool/text_form.h"

namespace magi::toolbox {

class EditableText {
 public:
  // `bytes` must outlive this.  kUsage: bytes of that encoding that cannot be kept as they are.
  static Result<EditableText> of(std::string_view bytes);

  // UTF-8 without a byte order mark, or, where the encoding is not known, the bytes themselves.
  std::string_view text() const { return is_copy_ ? std::string_view(copy_) : view_; }
  const TextForm& form() const { return form_; }

  // kUsage: the encoding is not known, so that only ASCII can be put in.
  Result<void> check_new(std::string_view new_text) const;
  // What the file is to hold when its text has become `text`.  kUsage: a character that its encoding does not have.
  Result<std::string> bytes_of(std::string text) const;

 private:
  TextForm form_;
  bool is_copy_ = false;
  std::string copy_;
  std::string_view view_;
};

// The whole of what edit does to bytes.
Result<Replaced> edit_bytes(std::string_view bytes, const std::vector<Edit>& edits, bool replace_all);

// `content`, UTF-8 with LF, as it replaces `old`: with the encoding, byte order mark and line ends that all of `old`
// has.  `kept` says which of these are not just those of `content`; empty: none.  kUsage as above.
Result<std::string> in_form_of(std::string_view old, std::string content, std::string& kept);

}  // namespace magi::toolbox
