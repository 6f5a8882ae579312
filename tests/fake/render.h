// A turn as the bytes that each API would send.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fake/script.h"

namespace magi::fake {

struct Rendering {
  std::uint64_t id = 0;  // of the request; makes response ids unique
  std::string model;
  std::int64_t input_tokens = 0, output_tokens = 0;
  bool include_usage = true;  // chat: the request asked for the usage chunk
};

struct Event {
  std::string bytes;   // one server-sent event
  bool delta = false;  // the turn's delay comes before it
};

struct Answer {
  std::vector<Event> events;
  std::string json;  // the same answer for a request that did not ask for a stream
};

Answer render(Api api, const Turn& turn, const Rendering& how);

// For the three renderers.
Answer render_responses(const Turn& turn, const Rendering& how);
Answer render_messages(const Turn& turn, const Rendering& how);
Answer render_chat(const Turn& turn, const Rendering& how);
// Deltas of `characters` code points.
std::vector<std::string> pieces(const std::string& text, std::size_t characters);
Event sse_event(const Turn& turn, std::string_view name, std::string_view data, bool delta = false);
std::string quote(std::string_view text);

}  // namespace magi::fake
