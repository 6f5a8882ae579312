// What a checkpoint must say besides its summary, gathered in one pass over the events that it replaces: the effects of
// tools (C4), and what listing, --continue, usage and export need without reading an archive (C3).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/context/effects.h"
#include "libcommon/event/fields.h"
#include "libcommon/event/session_event.h"

namespace magi::context {

// Reported tokens of a session, over all its generations.
struct CarriedUsage {
  std::int64_t requests = 0, input_tokens = 0, cached_tokens = 0, cache_write_tokens = 0, output_tokens = 0,
               reasoning_tokens = 0;

  CarriedUsage& operator+=(const CarriedUsage& more);
  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("requests", self.requests);
    v.optional("input_tokens", self.input_tokens);
    v.optional("cached_tokens", self.cached_tokens);
    v.optional("cache_write_tokens", self.cache_write_tokens);
    v.optional("output_tokens", self.output_tokens);
    v.optional("reasoning_tokens", self.reasoning_tokens);
  }
};

struct CarriedChild {
  std::string child_id, parent_id, status;

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("child_id", self.child_id);
    v.optional("parent_id", self.parent_id);
    v.optional("status", self.status);
  }
};

// `carried` of a checkpoint.
struct Carried {
  std::string title, first_prompt, worktree;
  event::SessionPreferences preferences;
  CarriedUsage usage;
  std::vector<CarriedChild> children;
  std::vector<std::string> instructions;  // files whose instructions the model was given

  template <class Self, class V>
  static void fields(Self& self, V& v) {
    v.optional("title", self.title);
    v.optional("first_prompt", self.first_prompt);
    v.optional("worktree", self.worktree);
    v.optional("preferences", self.preferences);
    v.optional("usage", self.usage);
    v.optional("children", self.children);
    v.optional("instructions", self.instructions);
  }
};

class SessionLedger {
 public:
  // One line of the session, in file order, without its LF.  Requires: json::kPadding readable bytes behind it.
  void add_line(std::string_view line);
  // A line that nobody can read.
  void skip_line();
  // After the last line.
  void finish();

  const EffectsLedger& effects() const { return effects_; }
  const Carried& carried() const { return carried_; }
  Carried& carried() { return carried_; }
  // Of the newest valid checkpoint; 0 where there is none.
  std::int64_t generation() const { return generation_.value_or(0); }
  // The folder of the first event that names one.
  const std::string& cwd() const { return cwd_; }

 private:
  void add_event(std::string_view type, const event::EventHead& event);
  void add_result(const json::Node& payload);
  void add_checkpoint(const json::Node& payload);
  void add_usage(const json::Node& payload);
  void add_child(CarriedChild child);
  void add_instruction(std::string path);

  json::Parser parser_;
  EffectsLedger effects_;
  Carried carried_;
  std::optional<std::int64_t> generation_;
  std::string cwd_;
  std::unordered_set<std::string> open_calls_;
  std::map<std::string, std::size_t> child_places_;
};

// Reads the first `length` bytes of a session.  `go_on` is asked now and then; where it says false the error is
// kCancelled.  Memory: the longest line.
Result<SessionLedger> read_ledger(int session_fd, std::uint64_t length, const std::function<bool()>& go_on);

}  // namespace magi::context
