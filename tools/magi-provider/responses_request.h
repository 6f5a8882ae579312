// Requests to the OpenAI Responses API: everything is an item of one flat list.
#pragma once

#include "libcommon/json/writer.h"
#include "tools/magi-provider/request_mapper.h"

namespace magi::provider {

class ResponsesRequest final : public RequestMapper {
 public:
  using RequestMapper::RequestMapper;

 private:
  void on_user(RawText text, std::vector<Image> images) override;
  void on_assistant(RawText text, bool joins) override;
  void on_call(const Call& call) override;
  void on_result(const ToolOutput& result) override;
  void on_item(const json::Node& item) override;
  bool is_reasoning(const json::Node& item) const override;
  bool is_sendable(const json::Node& item) const override;
  IdRules id_rules() const override { return {}; }
  void write_end(std::string& out) override;
  void write_head(std::string& out, std::string_view model) override;

  std::string& begin_item();
  // The ChatGPT backend takes fewer parameters than the API.
  bool is_codex() const { return options_.provider == "openai-codex"; }
  void write_tools(json::Writer& head) const;
  void write_reasoning(json::Writer& head) const;

  bool any_item_ = false;
  std::unordered_set<std::string> item_ids_;
};

}  // namespace magi::provider
