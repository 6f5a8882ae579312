// A conversation as the one message that `claude` is given: its stream-json input takes messages of the user alone, so
// what was said before stands in it as labelled blocks.
#pragma once

#include <string>
#include <vector>

#include "tools/magi-provider/request_mapper.h"

namespace magi::provider {

// As which our tools are offered: an MCP server of this name, and its tools' names in front of theirs.
inline constexpr std::string_view kClaudeServer = "magi", kClaudeToolPrefix = "mcp__magi__";

class ClaudeRequest final : public RequestMapper {
 public:
  using RequestMapper::RequestMapper;

  // The system prompt; says what the blocks are.
  std::string system_prompt() const;
  // Definitions as `tools/list` of the Model Context Protocol answers with them; "[]" for none.
  std::string tools_json() const;
  bool has_tools() const { return !tools().empty(); }
  // With the names under which claude knows our tools.
  ReaderContext claude_context() const;
  std::string effort() const { return reasoning_effort(); }

 private:
  void on_user(RawText text, std::vector<Image> images) override;
  void on_assistant(RawText text, bool joins) override;
  void on_call(const Call& call) override;
  void on_result(const ToolOutput& result) override;
  void on_item(const json::Node&) override {}
  bool is_reasoning(const json::Node&) const override { return false; }
  IdRules id_rules() const override { return {64, false, false}; }
  void write_end(std::string& out) override;
  void write_head(std::string& out, std::string_view model) override;

  void add_block(std::string_view label, RawText text);
  void add_images(const std::vector<Image>& images);

  bool any_block_ = false;
};

}  // namespace magi::provider
