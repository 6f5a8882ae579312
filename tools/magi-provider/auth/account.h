// What an account with a login adds to the requests that are made with it: fresh tokens in front of each attempt,
// headers in it, and local diagnostics behind it.  Driven from outside like a transfer; never waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/event/stream.h"
#include "tools/magi-provider/body.h"
#include "tools/magi-provider/failure.h"
#include "tools/magi-provider/transport.h"

namespace magi::provider {

// How an attempt went in time; milliseconds.
struct AttemptTiming {
  std::int64_t number = 1;
  std::int64_t duration_ms = 0;
  std::optional<std::int64_t> delay_ms;  // waited before it
};

class Account {
 public:
  virtual ~Account() = default;

  // A new answer is asked for.  `session_id` is the conversation's, possibly empty.
  virtual void begin_answer(const event::Request& request, const std::string& session_id) = 0;
  // Makes the login usable for the next attempt: step() until it is not busy.
  virtual void prepare(Transport& transport) = 0;
  virtual void step(Transport& transport) = 0;
  virtual bool busy() const = 0;
  // When step() has something to do even if nothing comes, in monotonic nanoseconds.  Requires: busy().
  virtual std::int64_t wake_ns() const = 0;
  // The answer is no longer wanted.  May stay busy: what must not be broken off goes on with further step()s.
  virtual void cancel() = 0;
  // Why no attempt can be made.  Requires: !busy().
  virtual const std::optional<Failure>& failure() const = 0;

  // "name: value".  Requires: ready.
  virtual std::vector<std::string> headers() const = 0;
  // What must not be shown, should a server quote it.
  virtual std::string_view secret() const = 0;
  // The server refused the login: true where another attempt, after prepare(), may do better.
  virtual bool refused() = 0;
  // An attempt is over: `head` is what came of its response, `body` what was sent.  JSON of `response_identity`.
  virtual std::string end_attempt(const ResponseHead& head, const Body& body, const AttemptTiming& timing) = 0;
};

}  // namespace magi::provider
