#include "libcommon/session/facts.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include "libcommon/base/clock.h"
#include "libcommon/base/utf8.h"
#include "libcommon/event/checkpoint.h"
#include "libcommon/event/names.h"
#include "libcommon/event/session_event.h"
#include "libcommon/os/disk.h"

namespace magi::session {
namespace {

namespace name = event::name;

// Always seen by a provider.  A turn's end is where it carries partial text, a checkpoint where it is valid.
constexpr std::string_view kVisible[] = {
    name::kUserInput,  name::kAssistantOutput, name::kProviderResponseItem, name::kToolCall,
    name::kToolResult, name::kCodeModeContext, name::kHookContextInjection, name::kSubdirInstructionLoad,
};

std::string text_of(const json::Node& object, std::string_view key) {
  const json::Node value = object.find(key);
  return value ? value.as_string().value_or("") : "";
}

void take(std::string& field, std::string text) {
  if (!text.empty()) field = std::move(text);
}

void take_prompt(std::string& field, std::string text) {
  if (!field.empty()) return;
  text.resize(utf8::prefix_bytes(text, kPromptCharacters));
  field = std::move(text);
}

void take_preferences(SessionFacts& facts, const json::Node& preferences) {
  take(facts.provider, text_of(preferences, "provider"));
  take(facts.model, text_of(preferences, "model"));
}

// False where the checkpoint is not valid.
bool take_checkpoint(SessionFacts& facts, const json::Node& payload) {
  const auto newest = facts.generation > 0 ? std::optional(facts.generation) : std::nullopt;
  const auto generation = event::checkpoint_generation(payload, newest);
  if (!generation) return false;
  facts.generation = *generation;
  facts.eligible = true;
  const json::Node carried = payload.find("carried");
  if (!carried) return true;
  take(facts.title, text_of(carried, "title"));
  take_prompt(facts.first_prompt, text_of(carried, "first_prompt"));
  take(facts.worktree, text_of(carried, "worktree"));
  if (const json::Node preferences = carried.find("preferences")) take_preferences(facts, preferences);
  return true;
}

// Takes over what the payload says; true where a provider sees the event.
bool take_payload(SessionFacts& facts, std::string_view event_type, const json::Node& payload) {
  if (event_type == name::kCompaction) return take_checkpoint(facts, payload);
  if (event_type == name::kTurnStatus) return !text_of(payload, "partial_text").empty();
  if (event_type == name::kUserInput) {
    facts.eligible = true;
    take_prompt(facts.first_prompt, text_of(payload, "text"));
  } else if (event_type == name::kSessionTitle) {
    take(facts.title, text_of(payload, "title"));
  } else if (event_type == name::kSessionPreferences) {
    take_preferences(facts, payload);
  }
  return std::find(std::begin(kVisible), std::end(kVisible), event_type) != std::end(kVisible);
}

Result<std::string> read_range(int fd, std::uint64_t from, std::uint64_t size, std::string_view path) {
  std::string bytes(size, '\0');
  std::size_t used = 0;
  while (used < bytes.size()) {
    const ssize_t count =
        os::disk().pread(fd, bytes.data() + used, bytes.size() - used, static_cast<off_t>(from + used));
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("cannot read " + quoted(path), errno);
    used += static_cast<std::size_t>(count);
  }
  bytes.resize(used);
  return bytes;
}

void apply_line(SessionFacts& facts, json::Parser& parser, std::string_view line) {
  const auto root = parser.parse(line);
  if (!root) return;
  const auto event = event::parse_session_event(*root);
  if (!event) return;
  facts.apply(event->event_type, parse_rfc3339(event->envelope.timestamp), event->envelope.cwd, event->payload);
}

// A last line without LF counts when it is a whole event.
void apply_lines(SessionFacts& facts, std::string_view text) {
  json::Parser parser;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    apply_line(facts, parser, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

bool SessionFacts::wants_payload(std::string_view event_type) {
  return event_type == name::kUserInput || event_type == name::kSessionTitle || event_type == name::kTurnStatus ||
         event_type == name::kSessionPreferences || event_type == name::kCompaction;
}

void SessionFacts::apply(std::string_view event_type, std::optional<std::int64_t> timestamp_ms,
                         std::string_view event_cwd, const json::Node& payload) {
  if (cwd.empty()) cwd = event_cwd;
  const bool is_visible = take_payload(*this, event_type, payload);
  if (!timestamp_ms) return;
  if (created_ms == 0) created_ms = *timestamp_ms;
  newest_ms = std::max(newest_ms, *timestamp_ms);
  if (is_visible) newest_visible_ms = std::max(newest_visible_ms, *timestamp_ms);
}

Result<SessionFacts> scan_facts(int session_fd, std::uint64_t length, std::string_view path) {
  if (length <= kHeadBytes + kTailBytes) return scan_facts_from({}, 0, session_fd, length, path);
  SessionFacts facts;
  MAGI_TRY(const std::string head, read_range(session_fd, 0, kHeadBytes, path));
  const std::size_t whole = head.rfind('\n');
  if (whole != std::string::npos) apply_lines(facts, std::string_view(head).substr(0, whole + 1));
  // The first line may be a prompt longer than all that is read.
  else if (head.starts_with(R"({"event_type":")" + std::string(name::kUserInput) + '"'))
    facts.eligible = true;
  return scan_facts_from(std::move(facts), kHeadBytes, session_fd, length, path);
}

Result<SessionFacts> scan_facts_from(SessionFacts facts, std::uint64_t known_length, int session_fd,
                                     std::uint64_t length, std::string_view path) {
  std::uint64_t from = std::min(known_length, length);
  if (length - from > kTailBytes) from = length - kTailBytes;
  if (from == 0) {
    MAGI_TRY(const std::string text, read_range(session_fd, 0, length, path));
    apply_lines(facts, text);
    return facts;
  }
  // With the byte before: whether it is LF tells whether a line begins at `from`.
  MAGI_TRY(const std::string text, read_range(session_fd, from - 1, length - from + 1, path));
  const std::size_t start = text.find('\n');
  if (start != std::string::npos) apply_lines(facts, std::string_view(text).substr(start + 1));
  return facts;
}

}  // namespace magi::session
