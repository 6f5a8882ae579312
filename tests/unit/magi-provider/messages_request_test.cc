#include "tools/magi-provider/messages_request.h"

#include "tests/unit/magi-provider/mapping.h"

namespace magi::provider {
namespace {

std::string messages(std::initializer_list<std::string_view> records) {
  return member_of(map_records<MessagesRequest>(records), "messages");
}

constexpr std::string_view kMark = R"(,"cache_control":{"type":"ephemeral"})";
// The user's message before the last one, to which the request before this one was read.
const std::string kFirstUser = R"([{"role":"user","content":[{"type":"text","text":"hi")" + std::string(kMark) + "}]},";

TEST(MessagesRequest, HeadMarksTheSystemTextForTheCache) {
  EXPECT_EQ(
      map_records<MessagesRequest>({kRequest, kUser}).body,
      R"({"model":"m-1","max_tokens":99,"stream":true,"temperature":0.5,"tools":[{"name":"read","description":"d","input_schema":{"type":"object","properties":{}}},)"
      R"({"name":"my_tool_ba077b42","description":"","input_schema":{"type":"object","properties":{}}}],)"
      R"("system":[{"type":"text","text":"Be \"brief\".","cache_control":{"type":"ephemeral"}}],)"
      R"("messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]})");
  EXPECT_EQ(member_of(map_records<MessagesRequest>({kUser}), "max_tokens"), "32000");
}

TEST(MessagesRequest, WithoutSystemTextTheLastToolIsMarked) {
  EXPECT_EQ(
      member_of(map_records<MessagesRequest>(
                    {R"({"type":"request","tools":[{"name":"a"},{"name":"b","parameters":{}}]})", kUser}),
                "tools"),
      R"([{"name":"a","description":"","input_schema":{"type":"object","properties":{}}},{"name":"b","description":"","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}])");
}

TEST(MessagesRequest, TurnsAlternateAndResultsStandFirst) {
  EXPECT_EQ(
      messages({kUser, kAssistant, kCallA, kCallB, kResultA, kResultB, kUser}),
      kFirstUser +
          R"({"role":"assistant","content":[{"type":"text","text":"I look"},{"type":"tool_use","id":"a","name":"read","input":{"path":"x"}},{"type":"tool_use","id":"b","name":"list","input":{}}]},)"
          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1\n"},{"type":"tool_result","tool_use_id":"b","is_error":true,"content":"no"},)"
          R"({"type":"text","text":"hi")" +
          std::string(kMark) + "}]}]");
}

TEST(MessagesRequest, Bug66AnInterruptedCallGetsItsResultBeforeTheText) {
  EXPECT_EQ(
      messages({kUser, kCallA, kUser}),
      kFirstUser +
          R"({"role":"assistant","content":[{"type":"tool_use","id":"a","name":"read","input":{"path":"x"}}]},)"
          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"The call was interrupted and has no result."},{"type":"text","text":"hi")" +
          std::string(kMark) + "}]}]");
}

TEST(MessagesRequest, Bug72ThinkingIsSentByteForByte) {
  const std::string item =
      R"({"type":"provider_item","provider":"test","item":{"type":"thinking","thinking":" a\n","signature":"S=="}})";
  EXPECT_EQ(
      messages({kUser, item, kCallB, kResultB}),
      kFirstUser +
          R"({"role":"assistant","content":[{"type":"thinking","thinking":" a\n","signature":"S=="},{"type":"tool_use","id":"b","name":"list","input":{}}]},)"
          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"b","is_error":true,"content":"no")" +
          std::string(kMark) + "}]}]");
  EXPECT_EQ(messages({kUser, item, kUser}), messages({kUser, kUser}));
}

TEST(MessagesRequest, Bug73And74IdsAreMadeLegalAlike) {
  const std::string body =
      messages({kUser, R"({"type":"tool_call","call_id":"functions.read:0","name":"functions.read","arguments":"{}"})",
                R"({"type":"tool_result","call_id":"functions.read:0","output":"o"})"});
  EXPECT_NE(body.find(R"("id":"functions_read_0_)"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("tool_use_id":"functions_read_0_)"), std::string::npos);
  EXPECT_NE(body.find(R"("name":"functions_read_)"), std::string::npos);
}

TEST(MessagesRequest, AnEmptyOutputIsLeftOut) {
  EXPECT_NE(messages({kUser, kCallB, R"({"type":"tool_result","call_id":"b","output":""})"})
                .find(R"({"type":"tool_result","tool_use_id":"b","cache_control")"),
            std::string::npos);
}

TEST(MessagesRequest, PicturesAreBlocks) {
  EXPECT_EQ(
      messages({kPicture}),
      R"([{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="})" +
          std::string(kMark) + "}]}]");
  EXPECT_NE(
      messages(
          {kUser, kCallB,
           R"({"type":"tool_result","call_id":"b","output":"o","parts":[{"type":"image","media_type":"image/png","data":"iVBORw=="}]})"})
          .find(
              R"("content":[{"type":"text","text":"o"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}}],"cache_control")"),
      std::string::npos);
}

TEST(MessagesRequest, APictureThatCannotBeSentLeavesAWord) {
  EXPECT_NE(
      messages(
          {R"({"type":"user","text":"","parts":[{"type":"image","media_type":"image/png","path":"/no/such/file"}]})"})
          .find("[an image stood here: its file cannot be read]"),
      std::string::npos);
}

TEST(MessagesRequest, AHistoryThatBeginsWithAnAnswerGetsAUserMessage) {
  EXPECT_EQ(
      messages({kAssistant, kUser}),
      R"([{"role":"user","content":[{"type":"text","text":"[The conversation begins with an answer.]"}]},{"role":"assistant","content":[{"type":"text","text":"I look"}]},)"
      R"({"role":"user","content":[{"type":"text","text":"hi")" +
          std::string(kMark) + "}]}]");
}

TEST(MessagesRequest, AConversationIsAPrefixOfTheNextButForTheMark) {
  const auto unmarked = [](std::string text) {
    for (std::size_t at; (at = text.find(kMark)) != std::string::npos;) text.erase(at, kMark.size());
    return text;
  };
  const std::string first = unmarked(messages({kUser, kAssistant, kCallA, kResultA}));
  const std::string second = unmarked(messages({kUser, kAssistant, kCallA, kResultA, kAssistant, kUser}));
  EXPECT_EQ(second.substr(0, first.size() - 4), first.substr(0, first.size() - 4));
}

TEST(MessagesRequest, APausedTurnMayEndTheConversation) {
  EXPECT_NE(
      messages(
          {kUser,
           R"({"type":"provider_item","provider":"test","item":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}})"})
          .find("server_tool_use"),
      std::string::npos);
}

}  // namespace
}  // namespace magi::provider
