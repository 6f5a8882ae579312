// What is stored and what the model knows, kept in step: an event is appended to the session, and only then does the
// conversation in memory hold it, in the form in which a replay would give it.  Without a session (--no-session)
// nothing is stored, but secrets are masked all the same, so that such a run sends what another would.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/context/live_conversation.h"
#include "libcommon/session/writer.h"

namespace magi::code {

// Payloads that are stored together: one write and at most one sync.
class Entries {
 public:
  // Masks `payload` in place: what the caller holds afterwards is what is stored.
  template <class Payload>
  void add(Payload& payload) {
    batch_.add(payload);
    recall_.push_back([payload](context::LiveConversation& conversation, const std::string& id) {
      return conversation.add(payload, id);
    });
  }
  bool empty() const { return recall_.empty(); }

 private:
  friend class Journal;
  session::Batch batch_;
  std::vector<std::function<Result<void>(context::LiveConversation&, const std::string&)>> recall_;
};

class Journal {
 public:
  // Without a session.
  Journal() : conversation_("") {}
  explicit Journal(session::Writer writer) : writer_(std::move(writer)), conversation_(writer_->id()) {}

  bool persistent() const { return writer_.has_value(); }
  // Empty without a session.
  std::string session_id() const { return writer_ ? writer_->id() : std::string(); }
  session::Writer* writer() { return writer_ ? &*writer_ : nullptr; }

  // Takes over what magi-replay wrote.  Requires: nothing has been appended.
  Result<void> load(std::string_view replayed_stream) { return conversation_.load(replayed_stream); }

  // Event IDs in order.  On an error nothing was stored and memory is as it was, unless the writer is uncertain.  What
  // was stored but cannot be followed in memory is request()'s error.
  Result<std::vector<std::string>> append(Entries entries, session::Durability durability);

  // The next request as a conversation stream.  `continuation` is a last user text that is only sent, never kept (R17);
  // empty: none.
  Result<std::string> request(const event::Request& request, std::string_view continuation = {});

  void save_sidecar() {
    if (writer_) writer_->save_sidecar();
  }

 private:
  std::optional<session::Writer> writer_;
  context::LiveConversation conversation_;
  std::optional<Error> stale_;  // why the conversation does not hold what is stored
  std::uint64_t unstored_ids_ = 0;
};

}  // namespace magi::code
