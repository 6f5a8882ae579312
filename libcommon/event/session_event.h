// One event of a session file (magi-session(5)): an envelope around a payload struct.  The payloads that more than one
// executable writes or reads are here; kinds that are only passed through need none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/event/fields.h"
#include "libcommon/event/names.h"

namespace magi::event {

struct Envelope {
  std::string event_id;   // lower-case hex
  std::string timestamp;  // RFC 3339 UTC
  std::string session_id;
  std::string cwd;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("event_id", self.event_id);
    v.required("timestamp", self.timestamp);
    v.required("session_id", self.session_id);
    v.required("cwd", self.cwd);
  }
};

// `masked_secrets` of a payload: how many secrets the storage layer replaced in it.

// An image or other part that stands beside text; `path` or `data` (base64) holds the bytes.
struct Part {
  std::string type, media_type, sha256, path, data;
  std::optional<std::int64_t> bytes;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("type", self.type);
    v.optional("media_type", self.media_type);
    v.optional("sha256", self.sha256);
    v.optional("bytes", self.bytes);
    v.optional("path", self.path);
    v.optional("data", self.data);
  }
};

struct ErrorInfo {
  std::string category, message;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("category", self.category);
    v.required("message", self.message);
  }
};

struct UserInput {
  static constexpr std::string_view kType = name::kUserInput;
  std::string turn_id, text, expanded_text, origin;
  Raw reasoning_selection;
  std::vector<Part> parts;
  std::optional<std::int64_t> masked_secrets;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("turn_id", self.turn_id);
    v.required("text", self.text);
    v.optional("expanded_text", self.expanded_text);
    v.optional("origin", self.origin);
    v.optional("reasoning_selection", self.reasoning_selection);
    v.optional("parts", self.parts);
    v.optional("masked_secrets", self.masked_secrets);
  }
};

struct AssistantOutput {
  static constexpr std::string_view kType = name::kAssistantOutput;
  std::string turn_id, text, status;
  std::optional<std::int64_t> masked_secrets;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("turn_id", self.turn_id);
    v.required("text", self.text);
    v.required("status", self.status);
    v.optional("masked_secrets", self.masked_secrets);
  }
};

struct ProviderResponseItem {
  static constexpr std::string_view kType = name::kProviderResponseItem;
  std::string turn_id, provider;
  Raw item;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("turn_id", self.turn_id);
    v.required("provider", self.provider);
    v.required("item", self.item);
  }
};

struct ToolCallEvent {
  static constexpr std::string_view kType = name::kToolCall;
  std::string turn_id, call_id, name, arguments, parent_call_id;
  std::optional<std::int64_t> masked_secrets;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("turn_id", self.turn_id);
    v.required("call_id", self.call_id);
    v.required("name", self.name);
    v.required("arguments", self.arguments);
    v.optional("parent_call_id", self.parent_call_id);
    v.optional("masked_secrets", self.masked_secrets);
  }
};

struct ToolResultEvent {
  static constexpr std::string_view kType = name::kToolResult;
  std::string turn_id, call_id, result_id, status, output;
  std::optional<std::string> view;  // what the model was shown, where it differs from `output`
  Raw details, execution_effects, protection;
  std::vector<Part> parts;
  std::optional<std::int64_t> masked_secrets;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("turn_id", self.turn_id);
    v.required("call_id", self.call_id);
    v.required("result_id", self.result_id);
    v.required("status", self.status);
    v.required("output", self.output);
    v.optional("view", self.view);
    v.optional("details", self.details);
    v.optional("parts", self.parts);
    v.optional("execution_effects", self.execution_effects);
    v.optional("protection", self.protection);
    v.optional("masked_secrets", self.masked_secrets);
  }
};

struct ToolResultAssessment {
  static constexpr std::string_view kType = name::kToolResultAssessment;
  std::string result_id, call_id, session_id, enforcement, coverage, verdict, stored_sha256;
  Raw spans, warnings;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("result_id", self.result_id);
    v.required("call_id", self.call_id);
    v.required("session_id", self.session_id);
    v.required("enforcement", self.enforcement);
    v.required("coverage", self.coverage);
    v.required("verdict", self.verdict);
    v.optional("spans", self.spans);
    v.required("stored_sha256", self.stored_sha256);
    v.optional("warnings", self.warnings);
  }
};

// Instructions of a folder that a tool touched for the first time.
struct SubdirInstructionLoad {
  static constexpr std::string_view kType = name::kSubdirInstructionLoad;
  std::string turn_id, path, text;  // `path`: of the file
  std::optional<std::int64_t> masked_secrets;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("turn_id", self.turn_id);
    v.required("path", self.path);
    v.required("text", self.text);
    v.optional("masked_secrets", self.masked_secrets);
  }
};

struct TurnStatus {
  static constexpr std::string_view kType = name::kTurnStatus;
  std::string turn_id, status, partial_text;
  std::optional<ErrorInfo> error;
  std::optional<std::int64_t> masked_secrets;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("turn_id", self.turn_id);
    v.required("status", self.status);
    v.optional("partial_text", self.partial_text);
    v.optional("error", self.error);
    v.optional("masked_secrets", self.masked_secrets);
  }
};

struct ArchiveRef {
  std::string path, sha256;
  std::int64_t bytes = 0;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("path", self.path);
    v.required("bytes", self.bytes);
    v.required("sha256", self.sha256);
  }
};

struct Compaction {
  static constexpr std::string_view kType = name::kCompaction;
  std::string summary, trigger, provider, model;
  std::int64_t generation = 0;
  ArchiveRef archive;
  Raw execution_effects, carried;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("summary", self.summary);
    v.required("generation", self.generation);
    v.optional("trigger", self.trigger);
    v.optional("provider", self.provider);
    v.optional("model", self.model);
    v.required("archive", self.archive);
    v.optional("execution_effects", self.execution_effects);
    v.optional("carried", self.carried);
  }
};

struct Diagnostic {
  static constexpr std::string_view kType = name::kDiagnostic;
  std::string level, message, category, turn_id;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("level", self.level);
    v.required("message", self.message);
    v.optional("category", self.category);
    v.optional("turn_id", self.turn_id);
  }
};

struct SessionTitle {
  static constexpr std::string_view kType = name::kSessionTitle;
  std::string title;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("title", self.title);
  }
};

struct SessionUsage {
  static constexpr std::string_view kType = name::kSessionUsage;
  std::string run_id, turn_id, provider, model;
  std::int64_t request_sequence = 0, input_tokens = 0, cached_tokens = 0, cache_write_tokens = 0, output_tokens = 0,
               reasoning_tokens = 0;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("run_id", self.run_id);
    v.required("request_sequence", self.request_sequence);
    v.optional("turn_id", self.turn_id);
    v.optional("provider", self.provider);
    v.optional("model", self.model);
    v.required("input_tokens", self.input_tokens);
    v.optional("cached_tokens", self.cached_tokens);
    v.optional("cache_write_tokens", self.cache_write_tokens);
    v.required("output_tokens", self.output_tokens);
    v.optional("reasoning_tokens", self.reasoning_tokens);
  }
};

struct SessionPreferences {
  static constexpr std::string_view kType = name::kSessionPreferences;
  std::string provider, model, permissions;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("provider", self.provider);
    v.optional("model", self.model);
    v.optional("permissions", self.permissions);
  }
};

struct ProviderStreamTrace {
  static constexpr std::string_view kType = name::kProviderStreamTrace;
  std::string run_id, turn_id;
  std::int64_t request_sequence = 0;
  Raw attempts, response_identity;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("run_id", self.run_id);
    v.required("turn_id", self.turn_id);
    v.required("request_sequence", self.request_sequence);
    v.optional("attempts", self.attempts);
    v.optional("response_identity", self.response_identity);
  }
};

// The fields of a payload as one JSON object.
template <class Payload>
std::string payload_json(const Payload& payload) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  print_fields(out, payload);
  out.end_object();
  return text;
}

// Appends one line of a session file, LF included.  Requires: `payload` is one JSON object and holds no LF.
void append_session_line(std::string& out, const Envelope& envelope, std::string_view event_type,
                         std::string_view payload);

template <class Payload>
std::string session_line(const Envelope& envelope, const Payload& payload) {
  std::string line;
  append_session_line(line, envelope, Payload::kType, payload_json(payload));
  return line;
}

// What a bulk reader needs of a line before it decides whether the payload matters: nothing decoded, all of it pointing
// into what was parsed.  `session_id` is falsy where the line has none.
struct EventHead {
  json::Node event_type, event_id, session_id, payload;
};

// kBadRecord unless the value is an object with non-empty strings `event_type` and `event_id` and an object `payload`.
Result<EventHead> parse_event_head(const json::Node& root);

// The same with its envelope decoded.
struct SessionEvent {
  std::string event_type;
  Envelope envelope;
  json::Node payload;  // points into what was parsed
};

// kBadRecord unless the value is an object with `event_type`, an object `payload` and a well-formed envelope
// (`timestamp`, `session_id` and `cwd` may be missing: other versions write them so).
Result<SessionEvent> parse_session_event(const json::Node& root);

// Valid session IDs: ASCII letters, digits, '_', '-', 1 to 128, the first a letter or digit (contracts, section 4).
bool is_valid_session_id(std::string_view id);

}  // namespace magi::event
