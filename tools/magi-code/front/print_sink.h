// `-p`: the assistant's text on stdout as it streams, everything else on stderr.
#pragma once

#include <string>

#include "tools/magi-code/loop/sink.h"

namespace magi::code {

struct PrintOptions {
  bool quiet = false;    // nothing on stderr but errors
  bool verbose = false;  // reasoning and results too
  bool stdout_is_terminal = false;
  bool colour = false;  // on stderr
};

class PrintSink : public Sink {
 public:
  explicit PrintSink(PrintOptions options) : options_(options) {}

  void session(const SessionRecord& record) override;
  void turn(const TurnRecord& record) override;
  Result<void> text(std::string_view delta) override;
  void reasoning(std::string_view delta) override;
  void attempt(const event::Attempt& attempt) override;
  void tool_call(const event::ToolCall& call) override;
  void tool_progress(const event::ToolProgress& progress) override;
  void tool_result(const event::ToolAnswer& result) override;
  void automatic_user_prompt(const AutomaticUserPrompt& record) override;
  void compaction(const CompactionRecord& record) override;
  void diagnostic(const DiagnosticRecord& record) override;
  void usage(const event::Usage& usage) override;
  void approval_request(const ApprovalRequest& request) override;
  void delivered(const Delivered& record) override;
  void undelivered(const UserPrompt& prompt) override;
  void result(const ResultRecord& record) override;

  // The command that goes on with the session, shown with the result; empty: none.
  void set_resume_hint(std::string command) { resume_hint_ = std::move(command); }

 private:
  void note(std::string_view text);
  void end_line();

  PrintOptions options_;
  std::string resume_hint_;
  bool at_line_start_ = true;
};

}  // namespace magi::code
