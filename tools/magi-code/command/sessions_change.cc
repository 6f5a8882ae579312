#include <algorithm>

#include "libcommon/base/utf8.h"
#include "libcommon/session/fork.h"
#include "libcommon/session/ledger.h"
#include "libcommon/session/removal.h"
#include "libcommon/session/writer.h"
#include "libcommon/tool/report.h"
#include "libcommon/tool/stdout.h"
#include "tools/magi-code/command/sessions.h"

namespace magi::code {
namespace {

constexpr std::size_t kTitleCharacters = 200;

// One line without control characters, not blank.
Result<std::string> clean_title(std::string title) {
  std::replace_if(
      title.begin(), title.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, ' ');
  const std::size_t first = title.find_first_not_of(' ');
  if (first == std::string::npos) return make_error(ErrorCode::kUsage, "the title is blank");
  title = title.substr(first, title.find_last_not_of(' ') + 1 - first);
  title.resize(utf8::prefix_bytes(title, kTitleCharacters));
  return title;
}

std::string counted(const session::FailureCounts& failures) {
  std::string text;
  for (const auto& [category, count] : failures)
    text += (text.empty() ? "" : ", ") + category + " (" + std::to_string(count) + ")";
  return text;
}

Result<void> delete_one(const os::Dir& sessions, const std::string& id, session::LedgerPruning& ledgers) {
  MAGI_CHECK(session::check_session_id(id));
  session::FailureCounts failures;
  auto removed = session::remove_session(
      sessions, id, [](int) { return Result<bool>(true); }, failures);
  if (!removed && removed.error().code == ErrorCode::kNotFound)
    return make_error(ErrorCode::kNotFound, "no session ", quoted(id));
  if (!removed) return std::move(removed.error());
  if (const auto ledger = ledgers.remove(id); !ledger) session::count_failure(failures, "ledger");
  if (!failures.empty())
    return make_error(ErrorCode::kIo, "session ", quoted(id),
                      " is deleted, but something of it stays: ", counted(failures));
  return {};
}

}  // namespace

Result<int> rename_session(const Setting& setting) {
  const SessionsOptions& options = setting.options.sessions;
  event::SessionTitle title;
  MAGI_TRY(title.title, clean_title(*options.text));
  session::WriterOptions writer_options;
  writer_options.cwd = setting.cwd;
  MAGI_TRY(session::Writer writer, session::Writer::open(setting.home, *options.id, std::move(writer_options)));
  MAGI_CHECK(writer.append(title, session::Durability::kRequired));
  return kExitOk;
}

Result<int> delete_sessions(const Setting& setting) {
  const std::vector<std::string>& ids = setting.options.sessions.ids;
  for (const std::string& id : ids) MAGI_CHECK(session::check_session_id(id));
  auto sessions = session::open_sessions(setting.home, session::Family::kPrimary, os::IfMissing::kFail);
  if (!sessions && sessions.error().code == ErrorCode::kNotFound)
    return make_error(ErrorCode::kNotFound, "no session ", quoted(ids.front()));
  if (!sessions) return std::move(sessions.error());
  session::LedgerPruning ledgers(setting.home);
  int status = kExitOk;
  bool deleted = false;
  for (const std::string& id : ids) {
    const auto done = delete_one(*sessions, id, ledgers);
    deleted |= done.has_value();
    if (!done) status = std::max(status, tool::report("magi-code", done.error()));
  }
  if (deleted)
    if (const auto blobs = ledgers.remove_unnamed_blobs(); !blobs) tool::notice("magi-code", blobs.error().what);
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
