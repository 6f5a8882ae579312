#include "tools/magi-replay/transcript.h"

#include <string>

#include "libcommon/base/harmless.h"
#include "libcommon/context/conversation_reader.h"

namespace magi::replay {
namespace {

using context::RecordKind;

std::string text_of(const json::Node& record, std::string_view key) {
  return record.find(key).as_string().value_or("");
}

// " (cancelled)"; nothing for what went well.
std::string remark(std::string_view status) {
  if (status.empty() || status == "completed" || status == "success") return "";
  return " (" + std::string(status) + ")";
}

std::string parts_note(const json::Node& record) {
  std::string note;
  for (const json::Node part : record.find("parts").elements())
    note += "\n[" + text_of(part, "type") + " " + text_of(part, "media_type") + "]";
  return note;
}

std::string user_title(const json::Node& record) {
  const std::string origin = text_of(record, "origin");
  return origin.empty() || origin == "user" ? "user" : "user [" + origin + "]";
}

}  // namespace

// The title line, then the text indented by two spaces.
void Transcript::append_block(std::string& out, std::string_view title, std::string_view text) {
  if (!is_first_) out += '\n';
  is_first_ = false;
  append_harmless(out, title);
  out += '\n';
  std::string safe;
  append_harmless(safe, text);
  std::string_view rest = safe;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (!line.empty()) out.append("  ").append(line);
    out += '\n';
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

Result<void> Transcript::append(std::string_view records, std::string& out) {
  while (!records.empty()) {
    const std::size_t end = records.find('\n');
    MAGI_TRY(const json::Node record, parser_.parse(records.substr(0, end)));
    append_record(record, out);
    records.remove_prefix(end == std::string_view::npos ? records.size() : end + 1);
  }
  return {};
}

void Transcript::append_record(const json::Node& record, std::string& out) {
  const auto kind = context::record_kind(text_of(record, "type"));
  if (!kind) return;
  switch (*kind) {
    case RecordKind::kConversation: return append_block(out, "session " + text_of(record, "session_id"), "");
    case RecordKind::kSummary: return append_block(out, "summary of what was before", text_of(record, "text"));
    case RecordKind::kEvidence: return append_block(out, "evidence", text_of(record, "text"));
    case RecordKind::kContext:
      return append_block(out, "context [" + text_of(record, "kind") + "]", text_of(record, "text"));
    case RecordKind::kUser: return append_block(out, user_title(record), text_of(record, "text") + parts_note(record));
    case RecordKind::kAssistant:
      return append_block(out, "assistant" + remark(text_of(record, "status")), text_of(record, "text"));
    case RecordKind::kProviderItem:
      return append_block(
          out, "item of " + text_of(record, "provider") + " [" + text_of(record.find("item"), "type") + "]", "");
    case RecordKind::kToolCall:
      return append_block(out, "call " + text_of(record, "name") + " [" + text_of(record, "call_id") + "]",
                          text_of(record, "arguments"));
    case RecordKind::kToolResult:
      return append_block(out, "result [" + text_of(record, "call_id") + "]" + remark(text_of(record, "status")),
                          text_of(record, "output") + parts_note(record));
    case RecordKind::kReasoningSelection:
    case RecordKind::kRequest:
    case RecordKind::kCancel:
    case RecordKind::kEnd: return;
  }
}

}  // namespace magi::replay
