#include "tools/magi-provider/chat_request.h"

#include "tests/unit/magi-provider/mapping.h"

namespace magi::provider {
namespace {

std::string messages(std::initializer_list<std::string_view> records, MapperOptions options = {"test", "http://h/v1"}) {
  return member_of(map_records<ChatRequest>(records, {}, std::move(options)), "messages");
}

TEST(ChatRequest, HeadAndSystemMessage) {
  EXPECT_EQ(
      map_records<ChatRequest>({kRequest, kUser}).body,
      R"({"model":"m-1","stream":true,"stream_options":{"include_usage":true},"max_tokens":99,"temperature":0.5,"tools":[)"
      R"({"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object","properties":{}}}},)"
      R"({"type":"function","function":{"name":"my_tool_ba077b42","description":"","parameters":{"type":"object","properties":{}}}}],)"
      R"("messages":[{"role":"system","content":"Be \"brief\"."},{"role":"user","content":"hi"}]})");
}

TEST(ChatRequest, CallsStandInsideTheAssistantsMessage) {
  EXPECT_EQ(
      messages({kUser, kAssistant, kCallA, kCallB, kResultA, kResultB}),
      R"([{"role":"user","content":"hi"},{"role":"assistant","content":"I look","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":\"x\"}"}},)"
      R"({"id":"b","type":"function","function":{"name":"list","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1\n"},{"role":"tool","tool_call_id":"b","content":"no"}])");
  EXPECT_EQ(
      messages({kUser, kCallB, kResultB}),
      R"([{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"b","type":"function","function":{"name":"list","arguments":"{}"}}]},{"role":"tool","tool_call_id":"b","content":"no"}])");
}

TEST(ChatRequest, RolesAlternate) {
  EXPECT_EQ(
      messages({R"({"type":"summary","text":"S"})", kUser, kAssistant, kAssistant, kUser}),
      R"([{"role":"user","content":"Summary of the conversation so far:\n\nS\n\nhi"},{"role":"assistant","content":"I look\n\nI look"},{"role":"user","content":"hi"}])");
}

TEST(ChatRequest, AConversationIsAPrefixOfTheNext) {
  const std::string first = messages({kUser, kAssistant, kCallA, kResultA});
  const std::string second = messages({kUser, kAssistant, kCallA, kResultA, kAssistant, kUser});
  EXPECT_EQ(second.substr(0, first.size() - 1), first.substr(0, first.size() - 1));
}

TEST(ChatRequest, PicturesMakeAListOfParts) {
  EXPECT_EQ(
      messages({kUser, kPicture}),
      R"([{"role":"user","content":[{"type":"text","text":"hi\n\nsee"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}}]}])");
}

TEST(ChatRequest, PicturesOfToolsFollowTheirResults) {
  EXPECT_EQ(
      messages(
          {kUser, kCallA, kCallB,
           R"({"type":"tool_result","call_id":"a","output":"o","parts":[{"type":"image","media_type":"image/png","data":"iVBORw=="}]})",
           kResultB}),
      std::string(
          R"([{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":\"x\"}"}},)") +
          R"({"id":"b","type":"function","function":{"name":"list","arguments":"{}"}}]},)"
          R"({"role":"tool","tool_call_id":"a","content":"o"},{"role":"tool","tool_call_id":"b","content":"no"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}}]}])");
}

TEST(ChatRequest, Bug81ThoughtsGoBackToTheServerThatThoughtThem) {
  const std::string item =
      R"({"type":"provider_item","provider":"test","item":{"type":"assistant_fields","origin":"http://h/v1","fields":{"reasoning_content":"why"}}})";
  const std::string extra =
      R"({"type":"provider_item","provider":"test","item":{"type":"call_fields","origin":"http://h/v1","call_id":"b","fields":{"extra_content":{"x":1}}}})";
  EXPECT_EQ(
      messages({kUser, kAssistant, item, kCallA, extra, kCallB, kResultA, kResultB}),
      R"([{"role":"user","content":"hi"},{"role":"assistant","content":"I look","reasoning_content":"why","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":\"x\"}"}},)"
      R"({"id":"b","type":"function","function":{"name":"list","arguments":"{}"},"extra_content":{"x":1}}]},{"role":"tool","tool_call_id":"a","content":"1\n"},{"role":"tool","tool_call_id":"b","content":"no"}])");
  EXPECT_EQ(messages({kUser, item, kCallB, kResultB}, {"test", "http://other/v1"}),
            messages({kUser, kCallB, kResultB}));
  EXPECT_EQ(messages({kUser, item, kUser}), messages({kUser, kUser}));
}

TEST(ChatRequest, Bug75MistralHasIdsOfNineCharacters) {
  const std::string body = messages({kUser, kCallA, kResultA}, {"test", "https://api.mistral.ai/v1"});
  EXPECT_NE(body.find(R"("id":"ca978112c")"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("tool_call_id":"ca978112c")"), std::string::npos);
}

TEST(ChatRequest, TheLimitHasTheNameThatTheServerKnows) {
  const Mapped mapped = map_records<ChatRequest>({kRequest, kUser}, {}, {"test", "https://api.openai.com/v1"});
  EXPECT_EQ(member_of(mapped, "max_completion_tokens"), "99");
  EXPECT_EQ(member_of(mapped, "max_tokens"), "");
}

}  // namespace
}  // namespace magi::provider
