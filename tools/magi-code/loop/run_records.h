// The records of a run (`magi-code --json`, contracts section 3) that only magi-code writes, and the actions it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcommon/event/answers.h"

namespace magi::code {

struct SessionRecord {
  static constexpr std::string_view kType = event::name::kSession;
  std::string session_id, provider, model;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("session_id", self.session_id);
    v.optional("provider", self.provider);
    v.optional("model", self.model);
  }
};

struct TurnRecord {
  static constexpr std::string_view kType = event::name::kTurn;
  std::string turn_id, status;  // "started", then "completed", "failed" or "cancelled"

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("turn_id", self.turn_id);
    v.required("status", self.status);
  }
};

struct AutomaticUserPrompt {
  static constexpr std::string_view kType = event::name::kAutomaticUserPrompt;
  std::string reason, text;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("reason", self.reason);
    v.required("text", self.text);
  }
};

// A compaction begins, and how it ended.  `error` where it failed; the session may be compacted all the same.
struct CompactionRecord {
  static constexpr std::string_view kType = event::name::kCompaction;
  std::string status, trigger;  // "started", "completed", "failed"; "manual", "automatic", "preflight"
  std::optional<std::int64_t> generation, tokens_before, tokens_after;
  std::string summary, error;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("status", self.status);
    v.required("trigger", self.trigger);
    v.optional("generation", self.generation);
    v.optional("tokens_before", self.tokens_before);
    v.optional("tokens_after", self.tokens_after);
    v.optional("summary", self.summary);
    v.optional("error", self.error);
  }
};

struct DiagnosticRecord {
  static constexpr std::string_view kType = event::name::kDiagnostic;
  std::string level, message, category;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("level", self.level);
    v.required("message", self.message);
    v.optional("category", self.category);
  }
};

struct UsageTotals {
  std::int64_t requests = 0, input_tokens = 0, cached_tokens = 0, cache_write_tokens = 0, output_tokens = 0,
               reasoning_tokens = 0;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("requests", self.requests);
    v.required("input_tokens", self.input_tokens);
    v.required("cached_tokens", self.cached_tokens);
    v.required("cache_write_tokens", self.cache_write_tokens);
    v.required("output_tokens", self.output_tokens);
    v.required("reasoning_tokens", self.reasoning_tokens);
  }
};

struct ResultRecord {
  static constexpr std::string_view kType = event::name::kResult;
  std::string session_id, status, text;
  UsageTotals usage;
  std::optional<event::ErrorInfo> error;
  std::int64_t exit_status = 0;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("session_id", self.session_id);
    v.required("status", self.status);
    v.required("text", self.text);
    v.required("usage", self.usage);
    v.required("error", self.error);
    v.required("exit_status", self.exit_status);
  }
};

// Asks for the user's word on one call, and says exactly what happens if it is given.
struct ApprovalRequest {
  static constexpr std::string_view kType = event::name::kApprovalRequest;
  std::string call_id, name, arguments, reason;
  std::string kind;         // "command", "write", "edit", "read", "web", "mcp", "tool", "result" (show it to the model)
  std::string command;      // of kind command: the whole shell command
  std::string path;         // the file that is written, edited or read, links resolved
  std::string host;         // of kind web
  std::string cwd;          // where a command runs, and what relative paths begin at
  std::string diff;         // what a write or edit changes: lines with '-', '+', ' ' before them, bounded
  std::string confinement;  // of kind command: what is in force while it runs
  std::string pattern;      // a rule that would cover this call; empty: none can
  std::string instead;      // what would allow it without asking, for people
  std::optional<bool> unconfined;  // of kind command: it runs with all rights that the user has

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("call_id", self.call_id);
    v.required("name", self.name);
    v.required("arguments", self.arguments);
    v.required("reason", self.reason);
    v.optional("kind", self.kind);
    v.optional("command", self.command);
    v.optional("path", self.path);
    v.optional("host", self.host);
    v.optional("cwd", self.cwd);
    v.optional("diff", self.diff);
    v.optional("confinement", self.confinement);
    v.optional("pattern", self.pattern);
    v.optional("instead", self.instead);
    v.optional("unconfined", self.unconfined);
  }
};

// One line on stdin with --control.  `type` is prompt, steer, recall, cancel or approve.
struct Action {
  std::string type, id, text, call_id;
  std::string decision;  // of approve: "allow", "allow_session", "allow_pattern", "deny"
  std::string pattern;   // of allow_pattern: a rule as in permissions.allow; empty: the one that was suggested
  std::string reason;    // of deny: what the model is told

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("type", self.type);
    v.optional("id", self.id);
    v.optional("text", self.text);
    v.optional("call_id", self.call_id);
    v.optional("decision", self.decision);
    v.optional("pattern", self.pattern);
    v.optional("reason", self.reason);
  }
};

template <const std::string_view& Type>
struct ActionAnswer {
  static constexpr std::string_view kType = Type;
  std::string id, action, text, event_id, reason;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("id", self.id);
    v.optional("action", self.action);
    v.optional("text", self.text);
    v.optional("event_id", self.event_id);
    v.optional("reason", self.reason);
  }
};
using Accepted = ActionAnswer<event::name::kAccepted>;
using Delivered = ActionAnswer<event::name::kDelivered>;
using Refused = ActionAnswer<event::name::kRefused>;

}  // namespace magi::code
