// `--json`: the run as JSON Lines on stdout, a line written as soon as it is known.
#pragma once

#include <optional>
#include <string>

#include "tools/magi-code/loop/sink.h"

namespace magi::code {

class JsonSink : public Sink {
 public:
  void session(const SessionRecord& record) override { (void)write(record); }
  void turn(const TurnRecord& record) override { (void)write(record); }
  Result<void> text(std::string_view delta) override { return write(event::Text{{}, std::string(delta)}); }
  void reasoning(std::string_view delta) override { (void)write(event::Reasoning{{}, std::string(delta)}); }
  void attempt(const event::Attempt& attempt) override { (void)write(attempt); }
  void tool_call(const event::ToolCall& call) override { (void)write(call); }
  void tool_progress(const event::ToolProgress& progress) override { (void)write(progress); }
  void tool_result(const event::ToolAnswer& result) override { (void)write(result); }
  void automatic_user_prompt(const AutomaticUserPrompt& record) override { (void)write(record); }
  void compaction(const CompactionRecord& record) override { (void)write(record); }
  void diagnostic(const DiagnosticRecord& record) override { (void)write(record); }
  void usage(const event::Usage& usage) override { (void)write(usage); }
  void approval_request(const ApprovalRequest& request) override { (void)write(request); }
  void delivered(const Delivered& record) override { (void)write(record); }
  void undelivered(const UserPrompt& prompt) override {
    (void)write(Refused{prompt.action_id, std::string(event::name::kSteer), prompt.text, {}, "the turn ended first"});
  }
  void result(const ResultRecord& record) override { (void)write(record); }

  // An error once stdout is gone.
  template <class Record>
  Result<void> write(const Record& record) {
    line_.clear();
    event::append_record(line_, record);
    return flush();
  }

 private:
  Result<void> flush();
  std::string line_;
  std::optional<Error> broken_;
};

}  // namespace magi::code
