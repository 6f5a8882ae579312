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
#include "tools/magi-code/loop/session_mark.h"

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
  std::size_t size() const { return recall_.size(); }

 private:
  friend class Journal;
  session::Batch batch_;
  std::vector<std::function<Result<void>(context::LiveConversation&, const std::string&)>> recall_;
};

class Journal {
 public:
  // Without a session.
  Journal() : home_(""), conversation_("") {}
  // `home` is the writer's.
  Journal(session::Writer writer, session::Home home)
      : writer_(std::move(writer)), home_(std::move(home)), conversation_(writer_->id()) {}

  bool persistent() const { return writer_.has_value(); }
  // Empty without a session.
  std::string session_id() const { return writer_ ? writer_->id() : std::string(); }
  session::Writer* writer() { return writer_ ? &*writer_ : nullptr; }

  // Whether memory may be used for a request (R11): the session's file is the one that this process left, of the same
  // generation, unchanged, and memory could follow all that was stored.  Always true without a session.
  bool memory_holds();
  // The session is about to be read anew: from here on changes of its file are noticed.
  void begin_reload();
  // Takes over what magi-replay wrote, in place of what memory held.  Error: it is no conversation, or the file was
  // changed meanwhile.
  Result<void> finish_reload(std::string replayed_stream);
  // The conversation alone, `conversation` to `end`, without digest.
  Result<std::string> conversation();

  // Event IDs in order.  On an error nothing was stored and memory is as it was, unless the writer is uncertain.  What
  // was stored but cannot be followed in memory is request()'s error.
  Result<std::vector<std::string>> append(Entries entries, session::Durability durability);

  // The next request as a conversation stream.  `continuation` is a last user text that is only sent, never kept (R17);
  // empty: none.
  Result<std::string> request(const event::Request& request, std::string_view continuation = {},
                              context::StreamDigest with = context::StreamDigest::kNone);

  // What request() would give if `waiting` were stored.
  Result<std::string> projected(const event::Request& request, const std::vector<event::User>& waiting);

  void save_sidecar() {
    if (writer_) writer_->save_sidecar();
  }

 private:
  Result<void> report_torn_tail();
  std::optional<SessionMark> mark_now() const;
  void note_changes();

  std::optional<session::Writer> writer_;
  session::Home home_;
  context::LiveConversation conversation_;
  std::optional<Error> stale_;  // why the conversation does not hold what is stored
  std::uint64_t unstored_ids_ = 0;
  std::optional<SessionMark> mark_;  // of the file as this process left it; nothing until there is one
  bool changed_ = false;             // by someone else, since it was read
  bool torn_tail_told_ = false;
};

}  // namespace magi::code
