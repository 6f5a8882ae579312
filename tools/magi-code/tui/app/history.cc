#include "tools/magi-code/tui/app/history.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "libcommon/context/conversation_reader.h"
#include "libcommon/event/stream.h"
#include "tools/magi-code/history/rewind_record.h"

namespace magi::code::tui {
namespace {

template <class Record>
void add(Transcript& transcript, const json::Node& root) {
  if (const auto record = event::parse_record<Record>(root)) transcript.history(*record);
}

void add_record(Transcript& transcript, const context::StreamRecord& record) {
  using Kind = context::RecordKind;
  switch (record.kind) {
    case Kind::kSummary: return add<event::Summary>(transcript, record.root);
    case Kind::kEvidence: return add<event::Evidence>(transcript, record.root);
    case Kind::kContext: return add<event::Context>(transcript, record.root);
    case Kind::kUser: return add<event::User>(transcript, record.root);
    case Kind::kAssistant: return add<event::Assistant>(transcript, record.root);
    case Kind::kToolCall: return add<event::ToolCall>(transcript, record.root);
    case Kind::kToolResult: return add<event::ToolResult>(transcript, record.root);
    default: return;
  }
}

// The last bytes of a session: whole lines but for the first.
Result<std::string> read_tail(const session::Home& home, const std::string& id) {
  constexpr off_t kTailBytes = 1 << 20;
  MAGI_TRY(const os::Fd file, session::open_session_for_reading(home, id));
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return errno_error("cannot look at a session", errno);
  std::string tail(static_cast<std::size_t>(std::min(info.st_size, kTailBytes)), '\0');
  const ssize_t size = pread(file.get(), tail.data(), tail.size(), info.st_size - static_cast<off_t>(tail.size()));
  tail.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return tail;
}

}  // namespace

std::unique_ptr<Transcript> transcript_of(std::string_view stream) {
  auto transcript = std::make_unique<Transcript>();
  context::ConversationReader reader(context::Framing::kSingle);
  while (!stream.empty()) {
    const std::size_t end = std::min(stream.find('\n'), stream.size());
    const auto record = reader.line(stream.substr(0, end));
    stream.remove_prefix(std::min(end + 1, stream.size()));
    if (record && *record) add_record(*transcript, **record);
    if (record) continue;
    transcript->note("warning", "the rest of the session cannot be shown: " + record.error().what);
    break;
  }
  transcript->history_ended();
  return transcript;
}

std::string unsent_draft(const session::Home& home, const std::string& id) {
  const auto tail = read_tail(home, id);
  if (!tail || tail->empty()) return {};
  const std::size_t end = tail->back() == '\n' ? tail->size() - 1 : tail->size();
  const std::size_t before = end == 0 ? std::string::npos : tail->rfind('\n', end - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  json::Parser parser;
  const auto root = parser.parse(std::string_view(*tail).substr(begin, end - begin));
  if (!root) return {};
  const auto head = event::parse_event_head(*root);
  if (!head || head->event_type.as_string().value_or("") != ForkNote::kType) return {};
  const auto note = event::parse_record<ForkNote>(head->payload);
  return note && note->category == ForkNote().category ? note->draft : std::string();
}

}  // namespace magi::code::tui
