// The conversation stream (contracts, section 2): what magi-replay and `magi-code request` write, and magi-tokens,
// magi-provider and magi-compact read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/event/session_event.h"

namespace magi::event {

inline constexpr std::int64_t kConversationVersion = 1;

struct Request {
  static constexpr std::string_view kType = name::kRequest;
  std::string request_id, session_id, thread_id, run_id, turn_id, instructions;
  std::int64_t request_sequence = 0;
  Raw tools;       // array of {name, description, parameters}
  Raw parameters;  // object: max_output_tokens, reasoning, ...

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.optional("session_id", self.session_id);
    v.optional("thread_id", self.thread_id);
    v.optional("run_id", self.run_id);
    v.optional("turn_id", self.turn_id);
    v.optional("request_sequence", self.request_sequence);
    v.optional("instructions", self.instructions);
    v.optional("tools", self.tools);
    v.optional("parameters", self.parameters);
  }
};

struct Conversation {
  static constexpr std::string_view kType = name::kConversation;
  std::int64_t version = kConversationVersion, generation = 0;
  std::string session_id, provider, model;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("version", self.version);
    v.optional("session_id", self.session_id);
    v.optional("generation", self.generation);
    v.optional("provider", self.provider);
    v.optional("model", self.model);
  }
};

struct Summary {
  static constexpr std::string_view kType = name::kSummary;
  std::string text;
  std::int64_t generation = 0;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("text", self.text);
    v.optional("generation", self.generation);
  }
};

struct Evidence {
  static constexpr std::string_view kType = name::kEvidence;
  std::string text;
  Raw effects;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("text", self.text);
    v.optional("effects", self.effects);
  }
};

struct Context {
  static constexpr std::string_view kType = name::kContext;
  std::string kind, text, event_id;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("kind", self.kind);
    v.required("text", self.text);
    v.optional("event_id", self.event_id);
  }
};

struct ReasoningSelection {
  static constexpr std::string_view kType = name::kReasoningSelection;
  Raw selection;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("selection", self.selection);
  }
};

struct User {
  static constexpr std::string_view kType = name::kUser;
  std::string text, event_id, turn_id, origin;
  std::vector<Part> parts;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("text", self.text);
    v.optional("event_id", self.event_id);
    v.optional("turn_id", self.turn_id);
    v.optional("origin", self.origin);
    v.optional("parts", self.parts);
  }
};

struct Assistant {
  static constexpr std::string_view kType = name::kAssistant;
  std::string text, status, turn_id;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("text", self.text);
    v.optional("status", self.status);
    v.optional("turn_id", self.turn_id);
  }
};

struct ProviderItem {
  static constexpr std::string_view kType = name::kProviderItem;
  std::string request_id, provider;
  Raw item;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.required("provider", self.provider);
    v.required("item", self.item);
  }
};

// Also what a provider answers with and what magi-tool reads; the optional fields belong to those streams.
struct ToolCall {
  static constexpr std::string_view kType = name::kToolCall;
  std::string request_id, call_id, name, arguments, turn_id, parent_call_id;
  bool approved = false;  // the user has approved this one call beyond what the mode allows
  Raw observed;           // [{path, sha256}]: what the model has seen

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.required("call_id", self.call_id);
    v.required("name", self.name);
    v.required("arguments", self.arguments);
    v.optional("turn_id", self.turn_id);
    v.optional("parent_call_id", self.parent_call_id);
    v.optional("approved", self.approved);
    v.optional("observed", self.observed);
  }
};

// In the conversation stream: `output` is what the provider sees.
struct ToolResult {
  static constexpr std::string_view kType = name::kToolResult;
  std::string call_id, result_id, status, output, withheld;
  std::optional<std::int64_t> omitted_chars;
  std::vector<Part> parts;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("call_id", self.call_id);
    v.optional("result_id", self.result_id);
    v.optional("status", self.status);
    v.required("output", self.output);
    v.optional("omitted_chars", self.omitted_chars);
    v.optional("withheld", self.withheld);
    v.optional("parts", self.parts);
  }
};

struct ReadCounts {
  std::int64_t events = 0, skipped_lines = 0;
  bool torn_tail = false;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("events", self.events);
    v.required("skipped_lines", self.skipped_lines);
    v.required("torn_tail", self.torn_tail);
  }
};

struct End {
  static constexpr std::string_view kType = name::kEnd;
  std::int64_t items = 0;
  std::string digest;
  std::optional<ReadCounts> read;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("items", self.items);
    v.optional("digest", self.digest);
    v.optional("read", self.read);
  }
};

}  // namespace magi::event
