// The conversation of a running session, in memory: what magi-replay wrote at its start, extended by the events that
// this process has stored since.  The rules are those of ReplayIndex, so that the stream equals, byte for byte, what a
// replay of the file would give (magi-replay's `read` counts apart).
//
//     LiveConversation conversation("s1");
//     MAGI_CHECK(conversation.load(stream_of_magi_replay));
//     MAGI_CHECK(conversation.add(user_input, event_id));     // after its append, with the payload as stored
//     MAGI_CHECK(conversation.append_stream(request));        // `conversation` ... `end`
//
// What reaches back into the loaded stream and cannot be followed there makes must_reread() true: a result of a call
// that it answers, an assessment of a result that it withholds, more of a turn that it holds.  Then the session is to
// be replayed anew.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/context/digest_writer.h"
#include "libcommon/context/replay_index.h"
#include "libcommon/context/stream_renderer.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/event/session_event.h"
#include "libcommon/event/stream.h"

namespace magi::context {

// Movable; not thread-safe.  Memory: the stream, and what was added twice.
class LiveConversation {
 public:
  explicit LiveConversation(std::string session_id);
  LiveConversation(LiveConversation&&) noexcept;
  LiveConversation& operator=(LiveConversation&&) noexcept;
  ~LiveConversation();

  // Takes over a whole stream, `conversation` to `end`.  Error kBadRecord: it is not one.  Requires: nothing was added.
  Result<void> load(std::string stream);

  // An event as it was stored, masks and all.  Kinds that a provider never sees are taken and change nothing.
  // Error kBadRecord where a replay would call it a bad line.
  template <class Payload>
  Result<void> add(const Payload& payload, std::string_view event_id) {
    return add_line(event::session_line(event::Envelope{std::string(event_id), {}, session_id_, {}}, payload));
  }
  // The same from a line of the session file.
  Result<void> add_line(std::string_view line);

  // Appends `conversation`, the records, `extra` (whole records that are sent but not kept, `extra_records` of them)
  // and `end`.  Costs a copy, and the digest of what is new.
  Result<void> append_stream(std::string& out, std::string_view extra = {}, std::int64_t extra_records = 0,
                             StreamDigest with = StreamDigest::kSha256);

  // The digest that `end` carries without extra records.
  Result<std::string> digest();
  // Records between `conversation` and `end`.
  Result<std::int64_t> records();
  Result<std::size_t> size_bytes();

  // Something was added that the loaded stream does not show as a replay would.
  bool must_reread() const { return must_reread_; }
  // Of the newest valid checkpoint; 0 where there is none.
  std::int64_t generation() const { return resets_ ? index_.generation() : loaded_header_.generation; }

  const std::string& session_id() const { return session_id_; }

 private:
  class Lines;
  // What one item or group became, in body_.
  struct Unit {
    std::size_t first_item, last_item, offset;
    std::int64_t records;
  };

  Result<void> bring_up_to_date();
  Result<void> render_from(std::size_t item);
  void settle_loaded();
  bool reaches_into_loaded(const event::EventHead& event, const std::string& turn);
  std::string header() const;
  Result<Sha256> running_digest();

  std::string session_id_;
  event::Conversation loaded_header_;
  std::string loaded_;  // the records that were loaded
  std::int64_t loaded_records_ = 0;
  std::string open_turn_;      // of loaded_: the turn of its last input ...
  std::size_t open_from_ = 0;  // ... whose results, from here on, may still become historical
  bool open_results_ = false;
  std::unordered_set<std::string> loaded_turns_, new_turns_;  // of inputs; new_turns_: added since
  bool must_reread_ = false;

  std::unique_ptr<Lines> lines_;
  ReplayIndex index_;
  std::uint32_t resets_ = 0;
  std::string body_;
  std::vector<Unit> units_;

  std::string header_;  // the `conversation` record that hash_ began with
  Sha256 hash_;
  std::size_t hashed_body_ = 0;
};

}  // namespace magi::context
