// What is remembered of one execution turn (requirements P2, P3): the server's routing value, and enough of the last
// request to tell whether the next one begins with the same bytes.  Lives in memory only; the salt, the routing value
// and the texts never leave it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "tools/magi-provider/auth/encoding.h"
#include "tools/magi-provider/body.h"

namespace magi::provider {

// A turn of one run of one account.
struct TurnScope {
  std::string run_id, turn_id, account_id;
  bool operator==(const TurnScope&) const = default;
};

// Hex; comparable within one turn only.
struct Fingerprints {
  std::string instructions, tools, input, configuration;
  // Against the attempt before it in this turn; nothing for the first.
  std::optional<bool> input_prefix_preserved, configuration_preserved;
};

class Turn {
 public:
  Turn(TurnScope scope, std::string salt) : scope_(std::move(scope)), salt_(std::move(salt)) {}

  const TurnScope& scope() const { return scope_; }
  // The server's value for this turn; empty: it gave none.
  const std::string& routing() const { return routing_; }
  // The first value counts; one that is too long or cannot stand in a header is ignored.
  void take_routing(std::string_view value);

  // Of a Responses body.  Call once an attempt, in order.  Nothing where the body is no JSON object.
  std::optional<Fingerprints> observe(const Body& body);

 private:
  std::string print_of(std::string_view label, std::string_view text) const;

  TurnScope scope_;
  std::string salt_, routing_;
  bool seen_ = false;
  std::size_t last_prefix_bytes_ = 0;  // of the last input without its closing bracket
  std::string last_prefix_, last_configuration_;
};

// The turns that are under way, one a run; the oldest goes when there are too many.
class TurnCache {
 public:
  // The turn of this scope, a new one where there is none.  Valid until the next call.
  Result<Turn*> enter(const TurnScope& scope);

 private:
  static constexpr std::size_t kMostTurns = 65;  // a primary run and as many children as there may be
  std::deque<Turn> turns_;
};

}  // namespace magi::provider
