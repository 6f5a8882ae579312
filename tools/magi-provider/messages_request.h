// Requests to the Anthropic Messages API: turns of blocks, user and assistant in alternation, every result of a turn at
// the front of the next user message.
#pragma once

#include <optional>

#include "libcommon/json/writer.h"
#include "tools/magi-provider/request_mapper.h"

namespace magi::provider {

class MessagesRequest final : public RequestMapper {
 public:
  using RequestMapper::RequestMapper;

 private:
  enum class Role { kNone, kUser, kAssistant };

  void on_user(RawText text, std::vector<Image> images) override;
  void on_assistant(RawText text, bool joins) override;
  void on_call(const Call& call) override;
  void on_result(const ToolOutput& result) override;
  void on_item(const json::Node& item) override;
  bool is_reasoning(const json::Node& item) const override;
  bool is_sendable(const json::Node& item) const override;
  // A turn that the server has paused ends with what it was doing.
  bool may_end_with(const json::Node& item) const override {
    const RawText type = raw_member(item, "type");
    return type.ends_with("_tool_use") || type.ends_with("_tool_result");
  }
  IdRules id_rules() const override { return {64, false, false}; }
  void write_end(std::string& out) override;
  void write_head(std::string& out, std::string_view model) override;

  std::string& begin_block(Role role);
  void end_block(std::string& out);
  void insert_marks();
  void append_image(std::string& out, const Image& image);

  void write_tools(json::Writer& head, std::string& out) const;
  // True where the model is asked to think.
  bool write_thinking(json::Writer& head, std::string_view model, std::int64_t max_tokens) const;
  // A request for thinking must not meet a turn of calls without any.
  bool can_think() const { return !calls_without_thought_; }

  Role role_ = Role::kNone;
  bool any_message_ = false;
  // In front of the closing braces of the last blocks of the user's last two messages.
  std::optional<Body::Mark> user_end_, earlier_user_end_;
  bool thought_ = false;                // the assistant's message under way begins with thinking
  bool calls_without_thought_ = false;  // of the last message with calls
};

}  // namespace magi::provider
