#include "libcommon/context/conversation_reader.h"

#include <array>
#include <utility>

#include "libcommon/base/utf8.h"
#include "libcommon/event/fields.h"
#include "libcommon/event/names.h"
#include "libcommon/event/stream.h"

namespace magi::context {
namespace {

namespace name = event::name;

constexpr std::array<std::pair<std::string_view, RecordKind>, 13> kTypes{{
    {name::kRequest, RecordKind::kRequest},
    {name::kConversation, RecordKind::kConversation},
    {name::kSummary, RecordKind::kSummary},
    {name::kEvidence, RecordKind::kEvidence},
    {name::kContext, RecordKind::kContext},
    {name::kReasoningSelection, RecordKind::kReasoningSelection},
    {name::kUser, RecordKind::kUser},
    {name::kAssistant, RecordKind::kAssistant},
    {name::kProviderItem, RecordKind::kProviderItem},
    {name::kToolCall, RecordKind::kToolCall},
    {name::kToolResult, RecordKind::kToolResult},
    {name::kEnd, RecordKind::kEnd},
    {name::kCancel, RecordKind::kCancel},
}};

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

bool is_supported(const json::Node& conversation) {
  return conversation.find("version").is(json::Kind::kNumber) &&
         conversation.find("version").as_int() == event::kConversationVersion;
}

}  // namespace

std::optional<RecordKind> record_kind(std::string_view type) {
  for (const auto& [text, kind] : kTypes)
    if (text == type) return kind;
  return std::nullopt;
}

std::string_view record_type_name(RecordKind kind) { return kTypes[static_cast<std::size_t>(kind)].first; }

Error ConversationReader::fail(std::string_view why) {
  state_ = State::kDiscarding;
  return make_error(ErrorCode::kBadRecord, "line ", std::to_string(line_number_), ": ", why);
}

Result<json::Node> ConversationReader::parse(std::string_view text) {
  auto root = parser_.parse(text);
  if (root || utf8::is_valid(text)) return root;
  return parser_.parse(utf8::sanitize(text, &replaced_bytes_));
}

Result<std::optional<StreamRecord>> ConversationReader::line(std::string_view text) {
  if (!line_is_unread_) ++line_number_;
  line_is_unread_ = false;
  if (is_blank(text)) return std::optional<StreamRecord>{};
  auto root = parse(text);
  const bool discarding = state_ == State::kDiscarding;
  if (!root) {
    if (discarding) return std::optional<StreamRecord>{};
    return fail(root.error().what);
  }
  const auto type = event::record_type(*root);
  const auto kind = type ? record_kind(*type) : std::nullopt;
  const bool known = kind && (*kind != RecordKind::kCancel || framing_ == Framing::kServe);
  if (discarding && !(known && (*kind == RecordKind::kRequest || *kind == RecordKind::kCancel))) {
    if (kind == RecordKind::kEnd) state_ = State::kEnded;
    return std::optional<StreamRecord>{};
  }
  if (!type) return fail("a record without a type");
  if (!known) {
    if (root->find("optional").as_bool() == true) return std::optional<StreamRecord>{};
    return fail("unknown record type " + quoted(*type));
  }
  const StreamRecord record{*kind, *root};
  MAGI_CHECK(place(record));
  return std::optional<StreamRecord>{record};
}

// Whether the record may stand where it stands.
Result<void> ConversationReader::place(const StreamRecord& record) {
  if (record.kind == RecordKind::kCancel) return {};
  const bool starts =
      record.kind == RecordKind::kRequest || (record.kind == RecordKind::kConversation && state_ != State::kRequested);
  if (state_ == State::kEnded) {
    if (framing_ == Framing::kSingle) return fail("a record behind the end of the conversation");
    state_ = State::kStart;
  }
  if (starts && state_ != State::kStart && state_ != State::kDiscarding) {
    Error error = fail("the conversation is truncated: another one begins before its end");
    line_is_unread_ = framing_ == Framing::kServe;
    if (line_is_unread_) state_ = State::kStart;
    return error;
  }
  switch (record.kind) {
    case RecordKind::kRequest: state_ = State::kRequested; return {};
    case RecordKind::kConversation:
      if (!is_supported(record.root)) return fail("a version of the conversation stream that is not supported");
      state_ = State::kFramed;
      return {};
    case RecordKind::kEnd:
      if (state_ == State::kStart) return fail("an end without a conversation");
      state_ = State::kEnded;
      return {};
    default:
      if (state_ == State::kStart) state_ = State::kUnframed;
      if (state_ == State::kRequested) state_ = State::kFramed;
      return {};
  }
}

Result<void> ConversationReader::finish() const {
  switch (state_) {
    case State::kRequested:
    case State::kFramed:
      return make_error(ErrorCode::kBadRecord, "the conversation is truncated: it has no end record");
    case State::kStart:
      if (framing_ == Framing::kServe) return {};
      return make_error(ErrorCode::kBadRecord, "no conversation on stdin");
    case State::kUnframed:
    case State::kEnded:
    case State::kDiscarding: return {};
  }
  return {};
}

}  // namespace magi::context
