// What the other streams carry (contracts, section 3): the answers of magi-provider and magi-tool.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/event/stream.h"

namespace magi::event {

// One HTTP attempt begins or is about to be repeated.  `delay_ms` is the wait before this attempt, `reason` why.
struct Attempt {
  static constexpr std::string_view kType = name::kAttempt;
  std::string request_id, reason, model;
  std::int64_t number = 1;
  std::optional<std::int64_t> delay_ms;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.required("number", self.number);
    v.optional("delay_ms", self.delay_ms);
    v.optional("reason", self.reason);
    v.optional("model", self.model);
  }
};

struct Text {
  static constexpr std::string_view kType = name::kText;
  std::string request_id, text;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.required("text", self.text);
  }
};

struct Reasoning {
  static constexpr std::string_view kType = name::kReasoning;
  std::string request_id, text;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.required("text", self.text);
  }
};

// From a provider: a tool call is being streamed (R16).  From a tool: `text` is output so far.
struct ToolProgress {
  static constexpr std::string_view kType = name::kToolProgress;
  std::string request_id, call_id, name, text;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.optional("call_id", self.call_id);
    v.optional("name", self.name);
    v.optional("text", self.text);
  }
};

struct Usage {
  static constexpr std::string_view kType = name::kUsage;
  std::string request_id;
  std::int64_t input_tokens = 0, output_tokens = 0;
  std::optional<std::int64_t> cached_tokens, cache_write_tokens, reasoning_tokens;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.required("input_tokens", self.input_tokens);
    v.optional("cached_tokens", self.cached_tokens);
    v.optional("cache_write_tokens", self.cache_write_tokens);
    v.required("output_tokens", self.output_tokens);
    v.optional("reasoning_tokens", self.reasoning_tokens);
  }
};

// Local diagnostics of one answer (D1): never replayed.
struct Trace {
  static constexpr std::string_view kType = name::kTrace;
  std::string request_id;
  Raw attempts;  // [{number, status, outcome, model, reported_model, request_id, delay_ms, response_identity}]
  Raw response_identity;  // of the last attempt, where the provider has a routing cache (P3)

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.optional("attempts", self.attempts);
    v.optional("response_identity", self.response_identity);
  }
};

struct Done {
  static constexpr std::string_view kType = name::kDone;
  std::string request_id, status, stop_reason;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.required("status", self.status);
    v.optional("stop_reason", self.stop_reason);
  }
};

// `request_id` names our request; `upstream_request_id` is the server's.  Both are absent when unknown.
struct ProviderError {
  static constexpr std::string_view kType = name::kError;
  std::string request_id, category, message, upstream_request_id;
  bool retryable = false, partial = false;
  std::optional<std::int64_t> http_status;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.required("category", self.category);
    v.required("message", self.message);
    v.required("retryable", self.retryable);
    v.required("partial", self.partial);
    v.optional("http_status", self.http_status);
    v.optional("upstream_request_id", self.upstream_request_id);
  }
};

struct Cancel {
  static constexpr std::string_view kType = name::kCancel;
  std::string request_id, call_id;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("request_id", self.request_id);
    v.optional("call_id", self.call_id);
  }
};

// What magi-tool answers a call with.
struct ToolAnswer {
  static constexpr std::string_view kType = name::kToolResult;
  std::string call_id, result_id, status, output;
  std::optional<std::string> view;
  std::optional<std::int64_t> omitted_bytes, duration_ms, masked_secrets;
  Raw details, effects;
  std::vector<Part> parts;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("call_id", self.call_id);
    v.required("result_id", self.result_id);
    v.required("status", self.status);
    v.required("output", self.output);
    v.optional("omitted_bytes", self.omitted_bytes);
    v.optional("view", self.view);
    v.optional("details", self.details);
    v.optional("effects", self.effects);
    v.optional("parts", self.parts);
    v.optional("duration_ms", self.duration_ms);
    v.optional("masked_secrets", self.masked_secrets);
  }
};

struct ToolDefinition {
  static constexpr std::string_view kType = name::kToolDefinition;
  std::string name, description;
  Raw parameters;  // JSON Schema

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("name", self.name);
    v.required("description", self.description);
    v.required("parameters", self.parameters);
  }
};

}  // namespace magi::event
