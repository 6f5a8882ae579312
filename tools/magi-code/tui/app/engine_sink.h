// What a run tells, as events for the interface.
#pragma once

#include "tools/magi-code/loop/sink.h"
#include "tools/magi-code/tui/app/mailbox.h"

namespace magi::code::tui {

ContextReport report_of(const TokenReport& report);

class EngineSink : public Sink {
 public:
  explicit EngineSink(Mailbox& mailbox) : mailbox_(mailbox) {}

  void session(const SessionRecord& record) override { mailbox_.push(record); }
  void turn(const TurnRecord& record) override { mailbox_.push(record); }
  Result<void> text(std::string_view delta) override {
    mailbox_.push(TextDelta{std::string(delta)});
    return {};
  }
  void reasoning(std::string_view delta) override { mailbox_.push(ReasoningDelta{std::string(delta)}); }
  void attempt(const event::Attempt& attempt) override { mailbox_.push(attempt); }
  void tool_call(const event::ToolCall& call) override { mailbox_.push(call); }
  void tool_progress(const event::ToolProgress& progress) override { mailbox_.push(progress); }
  void tool_result(const event::ToolAnswer& result) override { mailbox_.push(result); }
  void automatic_user_prompt(const AutomaticUserPrompt& record) override { mailbox_.push(record); }
  void compaction(const CompactionRecord& record) override { mailbox_.push(record); }
  void diagnostic(const DiagnosticRecord& record) override { mailbox_.push(record); }
  void usage(const event::Usage& usage) override { mailbox_.push(usage); }
  void context(const TokenReport& report) override { mailbox_.push(report_of(report)); }
  void approval_request(const ApprovalRequest& request) override { mailbox_.push(request); }
  void delivered(const Delivered& record) override { mailbox_.push(record); }
  void undelivered(const UserPrompt& prompt) override { mailbox_.push(Undelivered{prompt.text, prompt.action_id}); }
  // Each change of session has one; the interface says in its own way how it ends.
  void result(const ResultRecord&) override {}

 private:
  Mailbox& mailbox_;
};

}  // namespace magi::code::tui
