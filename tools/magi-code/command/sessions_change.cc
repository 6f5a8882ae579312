#include <algorithm>

#include "libcommon/session/fork.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/sessions.h"
#include "tools/magi-code/history/session_actions.h"

namespace magi::code {
Result<int> rename_session(const Setting& setting) {
  const SessionsOptions& options = setting.options.sessions;
  MAGI_CHECK(rename_stored_session(setting.home, *options.id, *options.text, setting.cwd));
  return kExitOk;
}

Result<int> delete_sessions(const Setting& setting) {
  const std::vector<std::string>& ids = setting.options.sessions.ids;
  for (const std::string& id : ids) MAGI_CHECK(session::check_session_id(id));
  SessionRemover remover(setting.home);
  int status = kExitOk;
  for (const std::string& id : ids)
    if (const auto done = remover.remove(id); !done) status = std::max(status, tool::report("magi-code", done.error()));
  if (const auto blobs = remover.finish(); !blobs) tool::notice("magi-code", blobs.error().what);
  return status;
}

Result<int> fork_session(const Setting& setting) {
  const SessionsOptions& options = setting.options.sessions;
  session::ForkOptions fork;
  fork.before = options.before;
  MAGI_TRY(const session::Forked forked, session::fork_session(setting.home, *options.id, fork));
  if (forked.skipped_lines > 0)
    tool::notice("magi-code", std::to_string(forked.skipped_lines) + " lines that cannot be read were left out");
  tool::Stdout out;
  if (options.json) {
    json::Writer writer(out.buffer());
    writer.begin_object().key("session_id").string(forked.id).key("source").string(*options.id);
    writer.key("events").integer(static_cast<std::int64_t>(forked.events));
    writer.key("skipped_lines").integer(static_cast<std::int64_t>(forked.skipped_lines)).end_object();
    out.buffer() += '\n';
  } else {
    out.buffer() += forked.id + '\n';
  }
  MAGI_CHECK(out.flush());
  return kExitOk;
}

}  // namespace magi::code
