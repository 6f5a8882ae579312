// Writes an answer to a client exactly as its turn and its fault say: packet by packet, with pauses, cuts and resets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/fake/peer.h"
#include "tests/fake/render.h"
#include "tests/fake/script.h"

namespace magi::fake {

struct Sent {
  int status = 200;                        // 0: no HTTP was sent
  std::int64_t first_ns = 0, last_ns = 0;  // CLOCK_MONOTONIC before the first and the last write of the body; 0: none
  std::size_t bytes = 0;                   // of the body, injected ones left out
  std::string_view outcome = "complete";   // or "cut", "stalled", "injected", "client left"
  bool keep_alive = true;

  static Sent client_left() {
    Sent sent;
    sent.outcome = "client left";
    sent.keep_alive = false;
    return sent;
  }
};

// A plain response of known length.
Sent send_plain(Peer& peer, int status, std::string_view content_type, const Headers& headers, std::string_view body);

// The bytes alone, with no HTTP around them.
Sent send_raw(Peer& peer, std::string_view bytes);

// The events of `answer` (or its JSON, if `stream` is false).
Sent send_answer(Peer& peer, const Turn& turn, const std::optional<Fault>& fault, const Answer& answer, bool stream,
                 std::uint64_t request_id);

}  // namespace magi::fake
