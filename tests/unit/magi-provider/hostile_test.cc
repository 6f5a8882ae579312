// Damaged streams and conversations: whatever comes in, what goes out is whole records and whole JSON.
#include <random>

#include "tests/unit/magi-provider/mapping.h"
#include "tests/unit/magi-provider/reading.h"
#include "tools/magi-provider/chat_reader.h"
#include "tools/magi-provider/chat_request.h"
#include "tools/magi-provider/messages_reader.h"
#include "tools/magi-provider/messages_request.h"
#include "tools/magi-provider/responses_reader.h"
#include "tools/magi-provider/responses_request.h"

namespace magi::provider {
namespace {

constexpr int kRounds = 1500;

// A few bytes changed, dropped or doubled; the same ones in every run.
std::string damaged(std::string text, std::mt19937& random) {
  constexpr std::string_view kLikely = "\"\\{}[]:,\n\r \x01\xff\xc3u0dn";
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  for (std::size_t n = 1 + below(3); n > 0 && !text.empty(); --n) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0: text[at] = kLikely[below(kLikely.size())]; break;
      case 1: text.erase(at, 1 + below(8)); break;
      case 2: text.insert(at, text.substr(at, 1 + below(20))); break;
      default: text.insert(at, 1, kLikely[below(kLikely.size())]);
    }
  }
  return text;
}

template <class Reader>
void read_damaged(std::string_view stream) {
  std::mt19937 random(7);
  json::Parser parser;
  for (int round = 0; round < kRounds; ++round) {
    const std::string body = damaged(std::string(stream), random);
    const Read read = read_stream<Reader>(body, random() % body.size());
    ASSERT_NE(read.end, "nothing");
    for (std::size_t at = 0; at < read.records.size();) {
      const std::size_t end = read.records.find('\n', at);
      ASSERT_NE(end, std::string::npos);
      ASSERT_TRUE(parser.parse(read.records.substr(at, end - at)).has_value()) << body << "\n" << read.records;
      at = end + 1;
    }
  }
}

template <class Mapper>
void map_damaged() {
  std::mt19937 random(11);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::string> records;
    for (const std::string_view record :
         {kRequest, kUser, kPicture, kAssistant, kCallA, kCallB, kResultA, kResultB, kUser})
      records.push_back(random() % 4 ? std::string(record) : damaged(std::string(record), random));
    Mapper mapper({"test", "http://h/v1"});
    context::ConversationReader reader(context::Framing::kServe);
    for (const std::string& line : records) {
      const auto record = reader.line(line);
      if (record && *record && (*record)->kind != context::RecordKind::kEnd) (void)mapper.add(**record);
    }
    if (!mapper.finish("")) continue;
    const std::string body = mapper.take_body("m").text();
    json::Parser parser;
    ASSERT_TRUE(parser.parse(body).has_value()) << body;
    ASSERT_EQ(body.find('\n'), std::string::npos);
  }
}

TEST(Hostile, ResponsesStreams) {
  read_damaged<ResponsesReader>(events(
      {R"({"type":"response.created","response":{"model":"m"}})",
       R"({"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"r","encrypted_content":"A"}})",
       R"({"type":"response.output_text.delta","output_index":1,"delta":"H\u00e9 \ud83d\ude00 \"x\""})",
       R"({"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"c","name":"n"}})",
       R"({"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"a\":1}"})",
       R"({"type":"response.completed","response":{"output":[],"usage":{"input_tokens":1,"output_tokens":2}}})"}));
}

TEST(Hostile, MessagesStreams) {
  read_damaged<MessagesReader>(events(
      {R"({"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}})",
       R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a \"b\""}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"S="}})",
       R"({"type":"content_block_stop","index":0})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"H\ud83d\ude00"}})",
       R"({"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"s","name":"w","input":{}}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"q\":\"x\"}"}})",
       R"({"type":"content_block_stop","index":2})",
       R"({"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}})",
       R"({"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"q\":\"x\"}"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}})",
       R"({"type":"message_stop"})"}));
}

TEST(Hostile, ChatStreams) {
  read_damaged<ChatReader>(events(
      {R"({"model":"m","choices":[{"index":0,"delta":{"reasoning_content":"w \"y\""}}]})",
       R"({"choices":[{"index":0,"delta":{"content":"H\u00e9 \ud83d\ude00"}}]})",
       R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","extra_content":{"x":1},"function":{"name":"f","arguments":"{\"a\""}}]}}]})",
       R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":\"\\u00e9\"}"}}]}}]})",
       R"({"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1}})", "[DONE]"}));
}

TEST(Hostile, Conversations) {
  map_damaged<ResponsesRequest>();
  map_damaged<MessagesRequest>();
  map_damaged<ChatRequest>();
}

}  // namespace
}  // namespace magi::provider
