// The framing rules of a conversation stream (magi-stream(7)), for every tool that reads one: what may begin it, that
// it ends, which types it may hold.  Pure: lines go in, records come out; the caller owns the descriptor and its
// waiting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/json/node.h"

namespace magi::context {

// No line of a conversation stream may be longer.  16 MiB of tool output are at most 96 MiB of JSON, and images stand
// beside it in base64.
inline constexpr std::size_t kMaxStreamLineBytes = 512u << 20;

enum class RecordKind : std::uint8_t {
  kRequest,
  kConversation,
  kSummary,
  kEvidence,
  kContext,
  kReasoningSelection,
  kUser,
  kAssistant,
  kProviderItem,
  kToolCall,
  kToolResult,
  kEnd,
  kCancel,  // Framing::kServe only; may stand anywhere
};

// The kind of a conversation record's `type`; nothing for any other type.
std::optional<RecordKind> record_kind(std::string_view type);
std::string_view record_type_name(RecordKind kind);

struct StreamRecord {
  RecordKind kind;
  // The whole record; event::parse_record<event::User>(root) and its like decode it.  Valid until the next line.
  json::Node root;
};

enum class Framing {
  kSingle,  // one stream up to the end of input
  kServe,   // streams one after another, each up to its `end`
};

// Not thread-safe.
class ConversationReader {
 public:
  explicit ConversationReader(Framing framing) : framing_(framing) {}

  // Takes the next line, without its LF.  Nothing where the line holds no record for the caller: it is blank, of an
  // unknown type marked "optional":true, or belongs to a stream that has failed.
  // Error kBadRecord, its text beginning "line N: ": not JSON, no type, an unknown type, a record out of place, a
  // version that is not read here.  After an error the rest of that stream is dropped; with kServe the next one is read
  // again.
  Result<std::optional<StreamRecord>> line(std::string_view text);

  // Call at the end of input.  Error kBadRecord: "no conversation on stdin" where there was no record at all (kSingle),
  // "the conversation is truncated: ..." where a stream that began with `request` or `conversation` has no `end`.
  Result<void> finish() const;

  // kServe, after an error: the failed stream was cut off by the beginning of another one, whose first line is still
  // unread; give it to line() again.
  bool line_is_unread() const { return line_is_unread_; }

  // True between streams: nothing has begun, or the last one has ended.
  bool between_streams() const { return state_ == State::kStart || state_ == State::kEnded; }
  // Bytes that were not UTF-8 and were read as U+FFFD, over all lines so far.
  std::uint64_t replaced_bytes() const { return replaced_bytes_; }

 private:
  enum class State {
    kStart,       // nothing of a stream seen
    kRequested,   // `request` seen, `conversation` may follow
    kFramed,      // inside a stream that must end
    kUnframed,    // a hand-made stream: records without a frame
    kEnded,       // `end` seen
    kDiscarding,  // dropping what is left of a failed stream
  };

  Result<json::Node> parse(std::string_view text);
  Result<void> place(const StreamRecord& record);
  Error fail(std::string_view why);

  Framing framing_;
  State state_ = State::kStart;
  bool line_is_unread_ = false;
  std::uint64_t line_number_ = 0;
  std::uint64_t replaced_bytes_ = 0;
  json::Parser parser_;
};

}  // namespace magi::context
