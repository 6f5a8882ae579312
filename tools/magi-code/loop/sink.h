// Where a run shows what happens.  One run has one sink; a sink never calls back into the run.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/event/answers.h"
#include "tools/magi-code/loop/run_records.h"
#include "tools/magi-code/loop/steering.h"

namespace magi::code {

struct TokenReport;

class Sink {
 public:
  virtual ~Sink() = default;

  virtual void session(const SessionRecord& record) = 0;
  virtual void turn(const TurnRecord& record) = 0;
  // An error when the text could not be shown: it then counts as not accepted (P6).
  virtual Result<void> text(std::string_view delta) = 0;
  virtual void reasoning(std::string_view delta) = 0;
  virtual void attempt(const event::Attempt& attempt) = 0;
  virtual void tool_call(const event::ToolCall& call) = 0;
  virtual void tool_progress(const event::ToolProgress& progress) = 0;
  virtual void tool_result(const event::ToolAnswer& result) = 0;
  virtual void automatic_user_prompt(const AutomaticUserPrompt& record) = 0;
  virtual void compaction(const CompactionRecord& record) = 0;
  virtual void diagnostic(const DiagnosticRecord& record) = 0;
  virtual void usage(const event::Usage& usage) = 0;
  // What the request that goes out now was counted as; most sinks need not know.
  virtual void context(const TokenReport& /*report*/) {}
  virtual void approval_request(const ApprovalRequest& request) = 0;
  virtual void delivered(const Delivered& record) = 0;
  // Steering that was accepted, but whose turn ended before it could be delivered: nothing of it is stored.
  virtual void undelivered(const UserPrompt& prompt) = 0;
  virtual void result(const ResultRecord& record) = 0;
};

}  // namespace magi::code
