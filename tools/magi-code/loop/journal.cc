#include "tools/magi-code/loop/journal.h"

namespace magi::code {

Result<std::vector<std::string>> Journal::append(Entries entries, session::Durability durability) {
  std::vector<std::string> ids;
  if (entries.empty()) return ids;
  if (writer_) {
    MAGI_TRY(ids, writer_->append_batch(std::move(entries.batch_), durability));
  } else {
    for (std::size_t i = 0; i < entries.recall_.size(); ++i) ids.push_back(std::to_string(++unstored_ids_));
  }
  // What is stored is stored: a conversation that cannot follow is a reason to send nothing more, not to store it
  // again.
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (auto added = entries.recall_[i](conversation_, ids[i]); !added && !stale_) stale_ = added.error();
  return ids;
}

Result<std::string> Journal::request(const event::Request& request, std::string_view continuation) {
  if (stale_)
    return make_error(stale_->code, "the conversation in memory no longer follows the session: ", stale_->what);
  std::string stream, extra;
  event::append_record(stream, request);
  if (!continuation.empty()) {
    event::User user;
    user.text = continuation;
    event::append_record(extra, user);
  }
  MAGI_CHECK(conversation_.append_stream(stream, extra, extra.empty() ? 0 : 1));
  return stream;
}

}  // namespace magi::code
