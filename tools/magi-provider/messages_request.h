// Requests to the Anthropic Messages API: turns of blocks, user and assistant in alternation, every result of a turn at
// the front of the next user message.
#pragma once

#include <optional>

#include "tools/magi-provider/request_mapper.h"

namespace magi::provider {

class MessagesRequest final : public RequestMapper {
 public:
  using RequestMapper::RequestMapper;

 private:
  enum class Role { kNone, kUser, kAssistant };

  void on_user(RawText text, std::vector<Image> images) override;
  void on_assistant(RawText text) override;
  void on_call(const Call& call) override;
  void on_result(const ToolOutput& result) override;
  void on_item(const json::Node& item) override;
  bool is_reasoning(const json::Node& item) const override;
  bool may_end_with(const json::Node& item) const override { return !is_reasoning(item); }
  IdRules id_rules() const override { return {64, false, false}; }
  void write_end(std::string& out) override;
  void write_head(std::string& out, std::string_view model) override;

  std::string& begin_block(Role role);
  void end_block(std::string& out);
  void append_image(std::string& out, const Image& image);

  Role role_ = Role::kNone;
  bool any_message_ = false;
  std::optional<Body::Mark> last_block_end_;  // in front of its closing brace
};

}  // namespace magi::provider
