// Everything that changes the state.  Pure: what is to be done outside comes back as requests.
#pragma once

#include "tools/magi-code/tui/app/request.h"
#include "tools/magi-code/tui/app/state.h"

namespace magi::code::tui {

// What a person did.
Requests reduce(State& state, const InputEvent& input);
// What the engine or a worker told.
Requests reduce(State& state, EngineEvent event);
// Time has passed: `state.now_ms` is set.
void advance(State& state, std::int64_t now_ms);
// When something moves by itself next, in ms from state.now_ms; nothing: never.
std::optional<int> next_change_ms(const State& state);

// A prompt as if it had been typed (--prompt).
Requests submit(State& state, const std::string& text);

}  // namespace magi::code::tui
