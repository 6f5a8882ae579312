#include "tools/magi-code/command/sessions.h"

#include "libcommon/base/clock.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/other_tools.h"
#include "tools/magi-code/front/display.h"

namespace magi::code {

std::string title_of(const session::SessionInfo& info) {
  return info.facts.title.empty() ? info.facts.first_prompt : info.facts.title;
}

void append_row(std::string& out, const session::SessionInfo& info) {
  constexpr std::size_t kTitleCharacters = 60;
  out += info.id + "  " + format_rfc3339(info.order_ms).substr(0, 16) + "Z  " +
         one_line(title_of(info), kTitleCharacters) + "\n";
}

void write_members(json::Writer& out, const session::SessionInfo& info) {
  const auto time = [&](std::string_view key, std::int64_t unix_ms) {
    if (unix_ms != 0) out.key(key).string(format_rfc3339(unix_ms));
  };
  out.key("session_id").string(info.id);
  time("newest", info.order_ms);
  time("created", info.facts.created_ms);
  out.key("bytes").integer(static_cast<std::int64_t>(info.length));
  out.key("title").string(title_of(info)).key("first_prompt").string(info.facts.first_prompt);
  out.key("cwd").string(info.facts.cwd).key("worktree").string(info.facts.worktree);
  out.key("provider").string(info.facts.provider).key("model").string(info.facts.model);
  out.key("generation").integer(info.facts.generation);
}

Result<int> list_sessions(const Setting& setting) {
  MAGI_TRY(const session::SessionList list, session::list_sessions(setting.home));
  tool::Stdout out;
  for (const session::SessionInfo& info : list.sessions) {
    if (info.length == 0) continue;  // what a crash left of a first append
    if (setting.options.sessions.json) {
      json::Writer writer(out.buffer());
      writer.begin_object();
      write_members(writer, info);
      writer.end_object();
      out.buffer() += '\n';
    } else {
      append_row(out.buffer(), info);
    }
    MAGI_CHECK(out.settle());
  }
  MAGI_CHECK(out.flush());
  for (const Error& error : list.unreadable) tool::notice("magi-code", error.what);
  return kExitOk;
}

// magi-perms knows what belongs where.
Result<int> repair_permissions(const Setting& setting) {
  const SessionsOptions& o = setting.options.sessions;
  std::vector<std::string> arguments;
  if (o.dry_run) arguments.push_back("--dry-run");
  if (o.yes) arguments.push_back("--yes");
  if (o.json) arguments.push_back("--json");
  return run_tool(setting, "magi-perms", std::move(arguments), false);
}

Result<int> run_sessions(const Setting& setting) {
  using Verb = SessionsOptions::Verb;
  switch (setting.options.sessions.verb) {
    case Verb::kNone:
    case Verb::kList: return list_sessions(setting);
    case Verb::kSearch: return search_sessions(setting);
    case Verb::kShow: return show_session(setting);
    case Verb::kRename: return rename_session(setting);
    case Verb::kDelete: return delete_sessions(setting);
    case Verb::kFork: return fork_session(setting);
    case Verb::kImport: return import_session(setting);
    case Verb::kRepairPermissions: return repair_permissions(setting);
  }
  return kExitUsage;
}

}  // namespace magi::code
