// Maps a conversation, given as its records, to a request body.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "libcommon/context/conversation_reader.h"
#include "tests/fake/report.h"
#include "tools/magi-provider/chat_request.h"
#include "tools/magi-provider/messages_request.h"
#include "tools/magi-provider/responses_request.h"

namespace magi::provider {

struct Mapped {
  std::string body;  // empty where the conversation was refused
  std::string error;
  std::vector<std::string> notices;
};

template <class Mapper>
constexpr fake::Api api_of() {
  if (std::is_same_v<Mapper, ResponsesRequest>) return fake::Api::kResponses;
  return std::is_same_v<Mapper, MessagesRequest> ? fake::Api::kMessages : fake::Api::kChat;
}

// Whatever is mapped, the API must accept it.
template <class Mapper>
Mapped map_records(std::initializer_list<std::string_view> records, std::string_view prompt = {},
                   MapperOptions options = {"test", "http://h/v1"}, std::string_view model = "m-1") {
  Mapper mapper(std::move(options));
  context::ConversationReader reader(context::Framing::kServe);
  for (const std::string_view line : records) {
    const auto record = reader.line(line);
    if (!record) return {{}, record.error().what, {}};
    if (const auto added = mapper.add(**record); !added) return {{}, added.error().what, {}};
  }
  if (const auto finished = mapper.finish(prompt); !finished) return {{}, finished.error().what, {}};
  Mapped mapped;
  mapped.body = mapper.take_body(model).text();
  json::Parser parser;
  const auto parsed = parser.parse(mapped.body);
  EXPECT_TRUE(parsed.has_value()) << mapped.body;
  if (parsed)
    for (const std::string& problem : fake::read_request(api_of<Mapper>(), *parsed).problems)
      ADD_FAILURE() << problem << "\n" << mapped.body;
  mapped.notices = mapper.notices();
  return mapped;
}

// The source text of one member of the body.
inline std::string member_of(const Mapped& mapped, std::string_view key) {
  json::Parser parser;
  const auto root = parser.parse(mapped.body);
  if (!root) return mapped.error;
  const json::Node node = root->find(key);
  return node ? std::string(node.raw()) : std::string();
}

constexpr std::string_view kUser = R"({"type":"user","text":"hi"})";
constexpr std::string_view kAssistant = R"({"type":"assistant","text":"I look","status":"completed"})";
constexpr std::string_view kCallA =
    R"({"type":"tool_call","call_id":"a","name":"read","arguments":"{\"path\":\"x\"}"})";
constexpr std::string_view kCallB = R"({"type":"tool_call","call_id":"b","name":"list","arguments":"{}"})";
constexpr std::string_view kResultA =
    R"({"type":"tool_result","call_id":"a","result_id":"r1","status":"success","output":"1\n"})";
constexpr std::string_view kResultB =
    R"({"type":"tool_result","call_id":"b","result_id":"r2","status":"error","output":"no"})";
// A picture of four bytes.
constexpr std::string_view kPicture =
    R"({"type":"user","text":"see","parts":[{"type":"image","media_type":"image/png","data":"iVBORw=="}]})";
constexpr std::string_view kRequest =
    R"({"type":"request","request_id":"q","session_id":"s1","instructions":"Be \"brief\".","tools":[{"name":"read","description":"d","parameters":{"type":"object"}},{"name":"my tool"}],"parameters":{"max_output_tokens":99,"temperature":0.5}})";

}  // namespace magi::provider
