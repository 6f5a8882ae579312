#include <unistd.h>

#include "libcommon/base/clock.h"
#include "libcommon/os/child.h"
#include "libcommon/session/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/sessions.h"
#include "tools/magi-code/front/display.h"

namespace magi::code {
namespace {

using session::SessionReport;

constexpr std::size_t kValueCharacters = 200;

void append_line(std::string& out, std::string_view label, const std::string& value) {
  if (value.empty()) return;
  out += label;
  out.append(label.size() < 12 ? 12 - label.size() : 1, ' ');
  out += one_line(value, kValueCharacters) + '\n';
}

std::string time_or_nothing(std::int64_t unix_ms) { return unix_ms == 0 ? "" : format_rfc3339(unix_ms); }

std::string events_line(const SessionReport& report) {
  std::string line = std::to_string(report.events) + " in " + std::to_string(report.info.length) + " bytes";
  if (report.skipped_lines > 0) line += ", " + std::to_string(report.skipped_lines) + " lines that cannot be read";
  if (report.torn_tail) line += ", the last line is torn";
  return line;
}

std::string usage_line(const SessionReport& report) {
  if (report.requests == 0) return "";
  return std::to_string(report.requests) + " requests, " + std::to_string(report.input_tokens) + " tokens in (" +
         std::to_string(report.cached_tokens) + " cached), " + std::to_string(report.output_tokens) + " out";
}

std::string head_of(const SessionReport& report) {
  const session::SessionFacts& facts = report.info.facts;
  std::string out;
  append_line(out, "session", report.info.id + (report.busy ? " (in use)" : ""));
  append_line(out, "title", title_of(report.info));
  append_line(out, "folder", facts.cwd);
  append_line(out, "model", facts.provider.empty() ? facts.model : facts.provider + " " + facts.model);
  append_line(out, "created", time_or_nothing(facts.created_ms));
  append_line(out, "newest", time_or_nothing(report.info.order_ms));
  append_line(out, "prompts", std::to_string(report.prompts.size()));
  append_line(out, "events", events_line(report));
  append_line(out, "usage", usage_line(report));
  for (const SessionReport::Archive& archive : report.archives)
    append_line(out, "archive", archive.path + (archive.present ? "" : " (not there)"));
  for (const std::string& child : report.children) append_line(out, "child", child);
  append_line(out, "file", report.path);
  return out + '\n';
}

void write_prompts(json::Writer& out, const SessionReport& report) {
  out.key("prompts").begin_array();
  for (const SessionReport::Prompt& prompt : report.prompts) {
    out.begin_object().key("event_id").string(prompt.event_id).key("turn_id").string(prompt.turn_id);
    out.key("timestamp").string(prompt.timestamp).key("text").string(prompt.text).end_object();
  }
  out.end_array();
}

void write_lists(json::Writer& out, const SessionReport& report) {
  out.key("counts").begin_object();
  for (const auto& [type, count] : report.counts) out.key(type).integer(count);
  out.end_object().key("archives").begin_array();
  for (const SessionReport::Archive& archive : report.archives) {
    out.begin_object().key("path").string(archive.path).key("bytes").integer(archive.bytes);
    out.key("present").boolean(archive.present).end_object();
  }
  out.end_array().key("children").begin_array();
  for (const std::string& child : report.children) out.string(child);
  out.end_array();
}

std::string json_of(const SessionReport& report) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  write_members(out, report.info);
  out.key("path").string(report.path).key("busy").boolean(report.busy);
  out.key("events").integer(report.events).key("skipped_lines").integer(report.skipped_lines);
  out.key("torn_tail").boolean(report.torn_tail);
  out.key("usage").begin_object().key("requests").integer(report.requests);
  out.key("input_tokens").integer(report.input_tokens).key("cached_tokens").integer(report.cached_tokens);
  out.key("output_tokens").integer(report.output_tokens).end_object();
  write_lists(out, report);
  write_prompts(out, report);
  out.end_object();
  return text + '\n';
}

}  // namespace

Result<int> show_session(const Setting& setting) {
  const SessionsOptions& options = setting.options.sessions;
  MAGI_TRY(const SessionReport report, session::read_report(setting.home, *options.id));
  tool::Stdout out;
  MAGI_CHECK(out.write(options.json ? json_of(report) : head_of(report)));
  MAGI_CHECK(out.flush());
  if (options.json) return kExitOk;
  os::SpawnOptions replay;
  MAGI_TRY(replay.program, setting.tool_path().find("magi-replay"));
  replay.args = {"--home", setting.home.root(), "--pretty", report.info.id};
  replay.env = setting.environment_without_keys();
  replay.stdout_fd = STDOUT_FILENO;
  replay.stderr_fd = STDERR_FILENO;
  MAGI_TRY(os::Child child, os::spawn(replay));
  MAGI_TRY(const int status, child.wait());
  return os::exit_code_of(status);
}

}  // namespace magi::code
