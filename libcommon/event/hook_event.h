// Session events of hooks (magi-session(5)).  What a hook was given and what it wrote is not in them, except for the
// text that it adds to the conversation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcommon/event/names.h"

namespace magi::event {

// Text that a hook gives to the model.
struct HookContextInjection {
  static constexpr std::string_view kType = name::kHookContextInjection;
  std::string text, hook, turn_id;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("text", self.text);
    v.optional("hook", self.hook);
    v.optional("turn_id", self.turn_id);
  }
};

// That a hook is started, then how it ended.  Never sent to a provider.
struct HookLifecycle {
  static constexpr std::string_view kType = name::kHookLifecycle;
  std::string event, hook, outcome;  // outcome: "started", then "passed", "refused", "failed", "timed_out", "cancelled"
  std::string call_id, turn_id;
  std::optional<std::int64_t> exit_status;
  std::optional<std::int64_t> duration_ms;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("event", self.event);
    v.required("hook", self.hook);
    v.required("outcome", self.outcome);
    v.optional("call_id", self.call_id);
    v.optional("turn_id", self.turn_id);
    v.optional("exit_status", self.exit_status);
    v.optional("duration_ms", self.duration_ms);
  }
};

// What went wrong with a hook.  Never sent to a provider.
struct HookDiagnostic {
  static constexpr std::string_view kType = name::kHookDiagnostic;
  std::string event, hook, message, call_id, turn_id;
  bool blocked = false;  // the call was refused for it

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.required("event", self.event);
    v.required("hook", self.hook);
    v.required("message", self.message);
    v.optional("call_id", self.call_id);
    v.optional("turn_id", self.turn_id);
    v.optional("blocked", self.blocked);
  }
};

}  // namespace magi::event
