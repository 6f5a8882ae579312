// What answers requests: a server over HTTP, or a script.  One request at a time, driven from outside, never waiting
// but in wait().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tools/magi-provider/answer_writer.h"
#include "tools/magi-provider/request_mapper.h"

namespace magi::provider {

enum class AnswerEnd {
  kDone,
  kCancelled,
  kFailed,
  kMisconfigured,  // no request can succeed before the user changes something
};

class Answerer {
 public:
  virtual ~Answerer() = default;

  // An empty mapper for the next request's records.
  virtual std::unique_ptr<RequestMapper> new_mapper() const = 0;
  // Requires: !busy(), and mapper->finish() succeeded.  `out` outlives the answer.
  virtual void begin(std::unique_ptr<RequestMapper> mapper, AnswerWriter& out) = 0;
  // Does what can be done now.  The records of an answer end with done or error.
  virtual void step() = 0;
  virtual bool busy() const = 0;
  // Ends the answer under way as cancelled, at once.
  virtual void cancel() = 0;
  // How the last answer ended, and, where it failed, one line that says why.  Requires: !busy().
  virtual AnswerEnd end() const = 0;
  virtual const std::string& failure_text() const = 0;
  // For a person who waits: what it waits for, once each time that changes; empty otherwise.
  virtual std::string take_notice() { return {}; }

  // Waits for one of `readable`, for the reader of `watched` to go away, or for something to do.
  virtual void wait(std::span<const int> readable, int watched) = 0;
};

// Writes the last record of an answer.
void write_done(AnswerWriter& out, std::string_view status, std::string_view stop_reason);
void write_error(AnswerWriter& out, const Failure& failure);

}  // namespace magi::provider
