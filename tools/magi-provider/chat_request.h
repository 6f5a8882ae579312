// Requests to Chat Completions: one message a turn, calls inside the assistant's, each result a message of its own.
// Roles alternate where the format allows it, because the chat templates of many local models insist.
#pragma once

#include "tools/magi-provider/request_mapper.h"

namespace magi::provider {

class ChatRequest final : public RequestMapper {
 public:
  using RequestMapper::RequestMapper;

 private:
  // What the message under way is; user messages are gathered first, since an image changes their form.
  enum class Open { kNone, kUser, kAssistantText, kAssistantCalls };

  void on_user(RawText text, std::vector<Image> images) override;
  void on_assistant(RawText text, bool joins) override;
  void on_call(const Call& call) override;
  void on_result(const ToolOutput& result) override;
  void on_item(const json::Node& item) override;
  bool is_reasoning(const json::Node& item) const override;
  IdRules id_rules() const override;
  void write_end(std::string& out) override;
  void write_head(std::string& out, std::string_view model) override;

  std::string& begin_message();
  std::string& begin_assistant();
  void close();
  void write_user();
  void append_fields(std::string& out, std::string& fields);

  Open open_ = Open::kNone;
  bool any_message_ = false, after_result_ = false;
  std::vector<std::string> user_texts_;  // RawText
  std::vector<Image> user_images_;
  std::string assistant_fields_, call_fields_;  // members of JSON objects that wait for their message
};

}  // namespace magi::provider
