#include "tools/magi-code/loop/journal.h"

#include "libcommon/context/session_scan.h"

namespace magi::code {

Result<std::vector<std::string>> Journal::append(Entries entries, session::Durability durability) {
  std::vector<std::string> ids;
  if (entries.empty()) return ids;
  if (writer_) {
    note_changes();
    MAGI_CHECK(report_torn_tail());
    auto appended = writer_->append_batch(std::move(entries.batch_), durability);
    mark_ = mark_now();
    MAGI_TRY(ids, std::move(appended));
  } else {
    for (std::size_t i = 0; i < entries.recall_.size(); ++i) ids.push_back(std::to_string(++unstored_ids_));
  }
  // What is stored is stored: a conversation that cannot follow is a reason to send nothing more, not to store it
  // again.
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (auto added = entries.recall_[i](conversation_, ids[i]); !added && !stale_) stale_ = added.error();
  return ids;
}

std::optional<SessionMark> Journal::mark_now() const {
  if (!writer_) return std::nullopt;
  auto mark = SessionMark::take(home_, writer_->id(), writer_->family(), writer_->facts().generation);
  if (!mark) return std::nullopt;
  return *std::move(mark);
}

// Once changed stays changed: what this process appends afterwards is behind something that it has not read.
void Journal::note_changes() {
  if (mark_ && mark_ != mark_now()) changed_ = true;
}

// The fragment that a killed writer left is reported by the replay that comes upon it, and never again: the event that
// says so stands directly behind it.
Result<void> Journal::report_torn_tail() {
  if (torn_tail_told_ || writer_->torn_tail_bytes() == 0) return {};
  event::Diagnostic found{"warning",
                          "the last record was cut off after " + std::to_string(writer_->torn_tail_bytes()) +
                              " bytes, when its writer ended, and is left out",
                          std::string(context::kTornTailCategory),
                          {}};
  MAGI_CHECK(writer_->append(found, session::Durability::kBestEffort));
  torn_tail_told_ = true;
  return {};
}

bool Journal::memory_holds() {
  if (!writer_) return true;
  note_changes();
  return !changed_ && !stale_ && !conversation_.must_reread();
}

void Journal::begin_reload() {
  // Another file may stand in its place, of another generation.
  if (std::exchange(changed_, false)) (void)writer_->reload();
  mark_ = mark_now();
}

Result<void> Journal::finish_reload(std::string replayed_stream) {
  note_changes();
  if (changed_) return make_error(ErrorCode::kIo, "session ", quoted(session_id()), " was changed while it was read");
  context::LiveConversation fresh(session_id());
  MAGI_CHECK(fresh.load(std::move(replayed_stream)));
  conversation_ = std::move(fresh);
  stale_.reset();
  return {};
}

Result<std::string> Journal::conversation() {
  std::string stream;
  MAGI_CHECK(conversation_.append_stream(stream, {}, 0, context::StreamDigest::kNone));
  return stream;
}

Result<std::string> Journal::request(const event::Request& request, std::string_view continuation,
                                     context::StreamDigest with) {
  if (stale_)
    return make_error(stale_->code, "the conversation in memory no longer follows the session: ", stale_->what);
  std::string stream, extra;
  event::append_record(stream, request);
  if (!continuation.empty()) {
    event::User user;
    user.text = continuation;
    event::append_record(extra, user);
  }
  MAGI_CHECK(conversation_.append_stream(stream, extra, extra.empty() ? 0 : 1, with));
  return stream;
}

Result<std::string> Journal::projected(const event::Request& request, const std::vector<event::User>& waiting) {
  std::string stream, extra;
  event::append_record(stream, request);
  for (const event::User& user : waiting) event::append_record(extra, user);
  MAGI_CHECK(conversation_.append_stream(stream, extra, static_cast<std::int64_t>(waiting.size()),
                                         context::StreamDigest::kNone));
  return stream;
}

}  // namespace magi::code
