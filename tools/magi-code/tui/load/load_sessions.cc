// Sessions as a list, and the end of one of them.
#include <unistd.h>

#include <deque>

#include "libcommon/base/clock.h"
#include "libcommon/base/utf8.h"
#include "libcommon/event/names.h"
#include "libcommon/os/safe_open.h"
#include "libcommon/session/each_event.h"
#include "libcommon/session/removal.h"
#include "libcommon/session/store.h"
#include "libcommon/session/worktree.h"
#include "tools/magi-code/tui/load/loaders.h"

namespace magi::code::tui {
namespace {

namespace name = event::name;

constexpr std::uint64_t kPreviewBytes = 512 * 1024;
constexpr std::size_t kPreviewMessages = 6, kPreviewCharacters = 600;

std::string text_of(const json::Node& node) { return node ? node.as_string().value_or("") : std::string(); }

std::string shortened(std::string text) {
  const std::size_t cut = utf8::prefix_bytes(text, kPreviewCharacters);
  if (cut == text.size()) return text;
  text.resize(cut);
  return text + "...";
}

}  // namespace

Result<PanelData> load_sessions(const Source& source) {
  MAGI_TRY(session::SessionList list, session::list_sessions(source.home));
  const std::string here = session::worktree_of(source.cwd);
  SessionsData data;
  data.now_ms = unix_time_ms();
  for (session::SessionInfo& info : list.sessions) {
    if (info.length == 0) continue;  // what a crash left of a first append
    SessionRow row;
    row.same_worktree = info.facts.worktree == here || info.facts.cwd == source.cwd;
    row.id = std::move(info.id);
    row.title = std::move(info.facts.title);
    row.first_prompt = std::move(info.facts.first_prompt);
    row.cwd = std::move(info.facts.cwd);
    row.model = info.facts.provider.empty() ? info.facts.model : info.facts.provider + ' ' + info.facts.model;
    row.order_ms = info.order_ms;
    row.bytes = info.length;
    data.rows.push_back(std::move(row));
  }
  for (const Error& error : list.unreadable) data.unreadable.push_back(error.what);
  return PanelData(std::move(data));
}

Result<PanelData> load_session_preview(const Source& source, const std::string& id) {
  SessionPreview preview;
  preview.id = id;
  MAGI_TRY(const os::Fd file, session::open_session_for_reading(source.home, id));
  MAGI_TRY(const os::FileStamp stamp, os::stamp_of(file.get(), id));
  if (stamp.length > kPreviewBytes &&
      ::lseek(file.get(), static_cast<off_t>(stamp.length - kPreviewBytes), SEEK_SET) < 0)
    return errno_error("cannot read session " + quoted(id), errno);
  std::deque<SessionPreview::Message> last;
  session::EachEvent options;
  options.wanted = [](std::string_view line) {
    return line.find(name::kUserInput) != std::string_view::npos ||
           line.find(name::kAssistantOutput) != std::string_view::npos;
  };
  MAGI_TRY([[maybe_unused]] const session::UnreadLines unread,
           session::each_event(file.get(), options, [&](const event::SessionEvent& event) {
             const bool by_user = event.event_type == name::kUserInput;
             if (!by_user && event.event_type != name::kAssistantOutput) return true;
             std::string text = text_of(event.payload.find("text"));
             if (text.find_first_not_of(" \t\r\n") == std::string::npos) return true;
             last.push_back({by_user, shortened(std::move(text))});
             if (last.size() > kPreviewMessages) last.pop_front();
             return true;
           }));
  preview.messages.assign(std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
  const auto sessions = session::open_sessions(source.home, session::Family::kPrimary, os::IfMissing::kFail);
  // The session that is open here is no other process's.
  preview.busy = id != source.session_id && sessions && session::has_live_writer(*sessions, id).value_or(false);
  return PanelData(std::move(preview));
}

}  // namespace magi::code::tui
