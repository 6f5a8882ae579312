// The parts of reduce(), for each other.
#pragma once

#include <string>
#include <string_view>

#include "tools/magi-code/tui/app/reduce.h"

namespace magi::code::tui {

inline constexpr std::int64_t kNoticeMs = 6'000;
inline constexpr std::int64_t kLeaveMs = 2'000;  // within which a second Ctrl-C leaves

void tell(State& state, std::string text, bool is_error = false);
void append(Requests& requests, Requests more);

// reduce.cc: text for the model, whatever it begins with.
Requests send_prompt(State& state, const std::string& text);

// reduce.cc: when keys are for the approval card rather than for the prompt.
std::int64_t approval_arms_at(const State& state);  // Requires: there is one

// keys.cc
Requests press(State& state, const Key& key);
// Puts text back that was the person's, before what stands in the editor.
void give_back(State& state, std::string_view text);

// slash.cc: a line that begins with a slash.
Requests obey_line(State& state, std::string_view line);
Requests run_slash(State& state, std::string_view name, std::string_view arguments);
bool is_busy(const State& state);

// effects.cc: what panels want.
Requests carry_out(State& state, Effects effects);
Requests open_panel(State& state, std::string_view name, std::string_view arguments);
void close_panel(State& state);
// What is known of the context, for the panel of that name where it is open.
Requests show_context(State& state);
inline constexpr std::string_view kContextPanel = "context", kThemePanel = "theme";

// complete.cc
Requests offer_candidates(State& state);

}  // namespace magi::code::tui
