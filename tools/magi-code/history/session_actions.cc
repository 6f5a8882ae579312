#include "tools/magi-code/history/session_actions.h"

#include <algorithm>

#include "libcommon/base/utf8.h"
#include "libcommon/session/removal.h"
#include "libcommon/session/writer.h"

namespace magi::code {
namespace {

constexpr std::size_t kTitleCharacters = 200;

std::string counted(const session::FailureCounts& failures) {
  std::string text;
  for (const auto& [category, count] : failures)
    text += (text.empty() ? "" : ", ") + category + " (" + std::to_string(count) + ")";
  return text;
}

}  // namespace

Result<std::string> clean_title(std::string title) {
  std::replace_if(
      title.begin(), title.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, ' ');
  const std::size_t first = title.find_first_not_of(' ');
  if (first == std::string::npos) return make_error(ErrorCode::kUsage, "the title is blank");
  title = title.substr(first, title.find_last_not_of(' ') + 1 - first);
  title.resize(utf8::prefix_bytes(title, kTitleCharacters));
  return title;
}

Result<void> rename_stored_session(const session::Home& home, std::string_view id, std::string title,
                                   const std::string& cwd) {
  event::SessionTitle event;
  MAGI_TRY(event.title, clean_title(std::move(title)));
  session::WriterOptions options;
  options.cwd = cwd;
  MAGI_TRY(session::Writer writer, session::Writer::open(home, std::string(id), std::move(options)));
  MAGI_CHECK(writer.append(event, session::Durability::kRequired));
  return {};
}

Result<void> SessionRemover::remove(const std::string& id) {
  MAGI_CHECK(session::check_session_id(id));
  const auto missing = [&] { return make_error(ErrorCode::kNotFound, "no session ", quoted(id)); };
  auto sessions = session::open_sessions(home_, session::Family::kPrimary, os::IfMissing::kFail);
  if (!sessions && sessions.error().code == ErrorCode::kNotFound) return missing();
  if (!sessions) return std::move(sessions.error());
  session::FailureCounts failures;
  auto removed = session::remove_session(
      *sessions, id, [](int) { return Result<bool>(true); }, failures);
  if (!removed && removed.error().code == ErrorCode::kNotFound) return missing();
  if (!removed) return std::move(removed.error());
  removed_ = true;
  if (const auto ledger = ledgers_.remove(id); !ledger) session::count_failure(failures, "ledger");
  if (failures.empty()) return {};
  return make_error(ErrorCode::kIo, "session ", quoted(id),
                    " is deleted, but something of it stays: ", counted(failures));
}

Result<void> SessionRemover::finish() {
  if (!removed_) return {};
  auto blobs = ledgers_.remove_unnamed_blobs();
  return blobs ? Result<void>() : std::move(blobs.error());
}

}  // namespace magi::code
