// The stream of Chat Completions, as OpenAI and everybody else sends it.
#pragma once

#include "tools/magi-provider/chat_calls.h"
#include "tools/magi-provider/stream_reader.h"

namespace magi::provider {

class ChatReader final : public StreamReader {
 public:
  using StreamReader::StreamReader;

 private:
  void on_value(const json::Node& value) override;
  void on_document(const json::Node& value) override;
  void on_done_marker() override;
  void on_end() override;

  bool take_plain_delta(const json::Node& value);
  void take_choice(const json::Node& choice);
  void take_delta(const json::Node& delta);
  void take_content(const json::Node& content);
  void take_reasoning(const json::Node& delta);
  void take_call(const json::Node& delta);
  void take_usage(const json::Node& usage);
  void finish();
  void hold_calls();
  bool has_answer() const { return out_.wrote_text() || !calls_.empty(); }

  ChatCalls calls_;
  std::string finish_reason_;
  std::string reasoning_;  // RawText of `reasoning_content`
};

}  // namespace magi::provider
