// Requests to the OpenAI Responses API: everything is an item of one flat list.
#pragma once

#include "tools/magi-provider/request_mapper.h"

namespace magi::provider {

class ResponsesRequest final : public RequestMapper {
 public:
  using RequestMapper::RequestMapper;

 private:
  void on_user(RawText text, std::vector<Image> images) override;
  void on_assistant(RawText text) override;
  void on_call(const Call& call) override;
  void on_result(const ToolOutput& result) override;
  void on_item(const json::Node& item) override;
  bool is_reasoning(const json::Node& item) const override;
  IdRules id_rules() const override { return {}; }
  void write_end(std::string& out) override;
  void write_head(std::string& out, std::string_view model) override;

  std::string& begin_item();

  bool any_item_ = false;
};

}  // namespace magi::provider
