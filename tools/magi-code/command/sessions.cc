#include <unistd.h>

#include "libcommon/base/clock.h"
#include "libcommon/os/child.h"
#include "libcommon/session/store.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/commands.h"
#include "tools/magi-code/front/display.h"

namespace magi::code {
namespace {

constexpr std::size_t kTitleCharacters = 60;

std::string title_of(const session::SessionInfo& info) {
  return info.facts.title.empty() ? info.facts.first_prompt : info.facts.title;
}

// ID, time of the newest message, what it is about.
void append_row(std::string& out, const session::SessionInfo& info) {
  out += info.id + "  " + format_rfc3339(info.order_ms).substr(0, 16) + "Z  " +
         one_line(title_of(info), kTitleCharacters) + "\n";
}

void append_json(std::string& out, const session::SessionInfo& info) {
  json::Writer writer(out);
  writer.begin_object().key("session_id").string(info.id);
  writer.key("newest")
      .string(format_rfc3339(info.order_ms))
      .key("bytes")
      .integer(static_cast<std::int64_t>(info.length));
  writer.key("title").string(title_of(info)).key("cwd").string(info.facts.cwd);
  writer.key("provider").string(info.facts.provider).key("model").string(info.facts.model);
  writer.end_object();
  out += '\n';
}

}  // namespace

Result<int> list_sessions(const Setting& setting) {
  MAGI_TRY(const session::SessionList list, session::list_sessions(setting.home));
  tool::Stdout out;
  for (const session::SessionInfo& info : list.sessions) {
    if (setting.options.json)
      append_json(out.buffer(), info);
    else
      append_row(out.buffer(), info);
    MAGI_CHECK(out.settle());
  }
  MAGI_CHECK(out.flush());
  for (const Error& error : list.unreadable) tool::notice("magi-code", error.what);
  return kExitOk;
}

Result<int> show_session(const Setting& setting) {
  const std::string& id = *setting.options.session_operand;
  MAGI_CHECK(session::check_session_id(id));
  MAGI_TRY(const session::SessionInfo info, session::find_session(setting.home, id));
  os::SpawnOptions options;
  MAGI_TRY(options.program, setting.tool_path().find("magi-replay"));
  options.args = {"--home", setting.home.root(), "--pretty", info.id};
  options.env = setting.environment_without_keys();
  options.stdout_fd = STDOUT_FILENO;
  options.stderr_fd = STDERR_FILENO;
  MAGI_TRY(os::Child child, os::spawn(options));
  MAGI_TRY(const int status, child.wait());
  return os::exit_code_of(status);
}

}  // namespace magi::code
