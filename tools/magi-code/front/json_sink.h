// `--json`: the run as JSON Lines on stdout, a line written as soon as it is known.
#pragma once

#include <string>

#include "tools/magi-code/front/sink.h"

namespace magi::code {

class JsonSink : public Sink {
 public:
  void session(const SessionRecord& record) override { write(record); }
  void turn(const TurnRecord& record) override { write(record); }
  bool text(std::string_view delta) override { return write(event::Text{{}, std::string(delta)}); }
  void reasoning(std::string_view delta) override { write(event::Reasoning{{}, std::string(delta)}); }
  void attempt(const event::Attempt& attempt) override { write(attempt); }
  void tool_call(const event::ToolCall& call) override { write(call); }
  void tool_progress(const event::ToolProgress& progress) override { write(progress); }
  void tool_result(const event::ToolAnswer& result) override { write(result); }
  void automatic_user_prompt(const AutomaticUserPrompt& record) override { write(record); }
  void diagnostic(const DiagnosticRecord& record) override { write(record); }
  void usage(const event::Usage& usage) override { write(usage); }
  void approval_request(const ApprovalRequest& request) override { write(request); }
  void delivered(const Delivered& record) override { write(record); }
  void result(const ResultRecord& record) override { write(record); }

  // False once stdout is gone.
  template <class Record>
  bool write(const Record& record) {
    line_.clear();
    event::append_record(line_, record);
    return flush();
  }

 private:
  bool flush();
  std::string line_;
  bool broken_ = false;
};

}  // namespace magi::code
