#include "tools/magi-code/command/rewind_report.h"

#include "libcommon/json/writer.h"
#include "tools/magi-code/front/display.h"

namespace magi::code {
namespace {

using session::Fate;
using session::RewoundFile;

constexpr std::size_t kPromptCharacters = 60;

std::string shown_path(const RewoundFile& file, const std::string& cwd) {
  return file.root == cwd ? file.path : file.absolute();
}

void append_file(std::string& out, const RewoundFile& file, const std::string& cwd) {
  const std::string fate(session::fate_name(file.fate));
  out += "  " + fate + std::string(13 - fate.size(), ' ') + display_safe(shown_path(file, cwd));
  if (!file.reason.empty()) out += ": " + display_safe(file.reason);
  if (file.forced) out += " (forced)";
  out += '\n';
}

void append_count(std::string& out, std::int64_t count, std::string_view what) {
  if (count == 0) return;
  if (!out.empty()) out += ", ";
  out.append(std::to_string(count)).append(" ").append(what);
}

std::string counts_text(const RewindReport& report) {
  const RewindCounts counts = count_fates(report.files);
  std::string text;
  append_count(text, counts.restored, report.dry_run ? "to restore" : "restored");
  append_count(text, counts.removed, report.dry_run ? "to remove" : "removed");
  append_count(text, counts.unchanged, "unchanged");
  append_count(text, counts.conflicts, counts.conflicts == 1 ? "conflict" : "conflicts");
  append_count(text, counts.unavailable, "unavailable");
  append_count(text, counts.failed, "failed");
  return text.empty() ? "nothing to take back" : text;
}

std::string_view mode_name(RewindMode mode) {
  return mode == RewindMode::kFiles ? "files" : mode == RewindMode::kConversation ? "conversation" : "both";
}

void write_file(json::Writer& out, const RewoundFile& file, const std::string& cwd) {
  out.begin_object().key("path").string(shown_path(file, cwd)).key("status").string(session::fate_name(file.fate));
  if (!file.reason.empty()) out.key("reason").string(file.reason);
  if (file.forced) out.key("forced").boolean(true);
  out.end_object();
}

}  // namespace

std::string plan_text(const RewindReport& report) {
  std::string out = report.target_is_rewind ? "back to before the rewind " : "back to before the prompt ";
  out += report.target_event_id.empty() ? "of turn " + report.target_turn_id : report.target_event_id;
  if (!report.target_text.empty()) out += ": " + one_line(report.target_text, kPromptCharacters);
  out = display_safe(out) + '\n';
  for (const RewoundFile& file : report.files) append_file(out, file, report.cwd);
  if (rewinds_files(report.mode)) {
    if (report.files.empty()) out += "  no tool changed a file since\n";
    out += "What shell commands changed is not covered";
    if (report.shell_calls > 0) out += " (" + std::to_string(report.shell_calls) + " ran since)";
    out += ".\n";
  }
  if (rewinds_conversation(report.mode)) out += "The conversation before it becomes a new session; this one stays.\n";
  return out;
}

std::string result_text(const RewindReport& report) {
  std::string out;
  if (rewinds_files(report.mode)) {
    if (!report.dry_run)
      for (const RewoundFile& file : report.files) append_file(out, file, report.cwd);
    out += "files: " + counts_text(report) + '\n';
  }
  if (!report.fork_id.empty())
    out += "conversation: session " + report.fork_id + "; go on with: magi-code --resume " + report.fork_id + '\n';
  if (!report.rewind_event_id.empty())
    out += "undo: magi-code rewind " + report.session_id + " --to " + report.rewind_event_id + '\n';
  return out + report.status + '\n';
}

std::string json_text(const RewindReport& report) {
  std::string text;
  json::Writer out(text);
  out.begin_object().key("session_id").string(report.session_id).key("status").string(report.status);
  out.key("mode").string(mode_name(report.mode)).key("dry_run").boolean(report.dry_run);
  out.key("target").begin_object().key("turn_id").string(report.target_turn_id);
  out.key("event_id").string(report.target_event_id).end_object();
  if (rewinds_files(report.mode)) {
    out.key("files").begin_array();
    for (const RewoundFile& file : report.files) write_file(out, file, report.cwd);
    std::string counts;
    json::Writer counted(counts);
    counted.begin_object();
    event::print_fields(counted, count_fates(report.files));
    counted.end_object();
    out.end_array().key("counts").raw(counts);
    out.key("shell_calls").integer(report.shell_calls).key("shell_effects_covered").boolean(false);
  }
  if (!report.fork_id.empty()) out.key("fork_session_id").string(report.fork_id);
  if (!report.rewind_event_id.empty()) out.key("rewind_event_id").string(report.rewind_event_id);
  out.end_object();
  return text + '\n';
}

}  // namespace magi::code
