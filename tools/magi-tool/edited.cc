#include "tools/magi-tool/edited.h"

#include <algorithm>

namespace magi::toolbox {

Result<EditableText> EditableText::of(std::string_view bytes) {
  EditableText editable;
  editable.form_ = text_form(bytes);
  editable.view_ = bytes.substr(mark_bytes(editable.form_));
  if (editable.form_.is_bytes()) return editable;
  Result<std::string> text = decoded(bytes, editable.form_);
  if (!text)
    return make_error(ErrorCode::kUsage, "the file seems to be ", charset_name(editable.form_.charset),
                      ", but its bytes would not survive the change (", text.error().what, "); nothing was changed");
  editable.copy_ = *std::move(text);
  editable.is_copy_ = true;
  return editable;
}

Result<void> EditableText::check_new(std::string_view new_text) const {
  const bool ascii =
      std::all_of(new_text.begin(), new_text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii || (form_.charset != Charset::kUnknown && form_.charset != Charset::kBinary)) return {};
  return make_error(ErrorCode::kUsage,
                    "the file is not valid UTF-8 and its encoding cannot be told, so only ASCII text "
                    "can be put into it; nothing was changed");
}

Result<std::string> EditableText::bytes_of(std::string text) const {
  if (form_.is_bytes() && !form_.mark) return text;
  Result<std::string> bytes = encoded(text, form_);
  if (!bytes) return make_error(ErrorCode::kUsage, "the file is ", bytes.error().what, "; nothing was changed");
  return bytes;
}

Result<Replaced> edit_bytes(std::string_view bytes, const std::vector<Edit>& edits, bool replace_all) {
  MAGI_TRY(const EditableText editable, EditableText::of(bytes));
  for (const Edit& edit : edits) MAGI_CHECK(editable.check_new(edit.new_text));
  MAGI_TRY(Replaced replaced, replace_texts(editable.text(), edits, replace_all));
  MAGI_TRY(replaced.content, editable.bytes_of(std::move(replaced.content)));
  return replaced;
}

Result<std::string> in_form_of(std::string_view old, std::string content, std::string& kept) {
  TextForm form = text_form(old);
  const bool brings_mark = text_form(content).mark;
  if (brings_mark || form.charset == Charset::kUnknown || form.charset == Charset::kBinary) return content;
  const auto keep = [&](std::string_view what) { kept.append(kept.empty() ? "" : ", ").append(what); };
  const bool copied = !form.is_bytes();
  std::string text;
  if (copied) {
    // Bytes that were not valid in it need no keeping.
    Result<std::string> old_text = decoded(old, form);
    if (!old_text) return content;
    text = *std::move(old_text);
  }
  const std::string_view old_text = copied ? std::string_view(text) : old.substr(mark_bytes(form));
  if (all_lines_end_with_crlf(old_text) && content.find('\n') != std::string::npos &&
      content.find('\r') == std::string::npos) {
    content = with_crlf(content);
    keep("CRLF line ends");
  }
  if (copied) keep(charset_name(form.charset));
  if (form.mark && !copied) keep("its byte order mark");
  if (!copied && !form.mark) return content;
  Result<std::string> bytes = encoded(content, form);
  if (!bytes) return make_error(ErrorCode::kUsage, "the file is ", bytes.error().what, "; nothing was changed");
  return bytes;
}

}  // namespace magi::toolbox
