// The lines that `claude` writes: events of the Messages API inside of its own records, whole messages where it sends
// no events, requests of its control protocol, and a last `result`.  Pure: lines in; records, replies and an outcome
// out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/magi-provider/messages_reader.h"

namespace magi::provider {

class ClaudeReader {
 public:
  // `tools_json`: what `tools/list` is answered with.
  ClaudeReader(AnswerWriter& out, ReaderContext context, std::string tools_json)
      : messages_(out, std::move(context)), tools_json_(std::move(tools_json)) {}

  // What is said first.
  static std::string opening();

  void take_line(std::string_view line);
  // Its output is over; `complaint` is what it said on its standard error.
  void end_of_output(int exit_status, std::string_view complaint);

  // It has agreed to the opening, and waits for the message.
  bool is_open() const { return open_; }
  // Lines for its input.
  std::string take_replies() { return std::exchange(replies_, {}); }
  // It waits before it tries again: why; once each time.
  std::string take_retry() { return std::exchange(retry_, {}); }
  const std::optional<Outcome>& outcome() const { return failure_ ? failure_ : messages_.outcome(); }
  const MessagesReader& messages() const { return messages_; }

 private:
  void take_assistant(const json::Node& root);
  void take_result(const json::Node& root);
  void take_system(const json::Node& root);
  void take_control_request(const json::Node& root);
  void take_mcp_message(const std::string& request_id, const json::Node& message);
  void reply(const std::string& request_id, std::string_view response_json);
  void refuse(const std::string& request_id, std::string_view why);
  void feed(std::string_view json);
  void feed_member(const json::Node& value);
  void fail(std::string_view text, std::string_view type, std::optional<std::int64_t> status);

  MessagesReader messages_;
  std::string tools_json_, replies_, retry_;
  std::string error_text_, error_type_;  // of a message that stands for an error
  std::optional<Outcome> failure_;
  json::Parser parser_;
  std::int64_t next_block_ = 0;
  bool open_ = false, has_events_ = false;
};

}  // namespace magi::provider
