// Reports of what broke other clients, by their numbers in the collection: framing, proxies and ends of streams.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/magi-provider/reading.h"
#include "tools/magi-provider/chat_reader.h"
#include "tools/magi-provider/chat_request.h"
#include "tools/magi-provider/intake.h"
#include "tools/magi-provider/responses_reader.h"
#include "tools/magi-provider/retry.h"

namespace magi::provider {
namespace {

std::string chunk(std::string_view delta, std::string_view finish = "null") {
  return R"({"choices":[{"index":0,"delta":)" + std::string(delta) + R"(,"finish_reason":)" + std::string(finish) +
         "}]}";
}
std::string content(std::string_view text) { return chunk(R"({"content":")" + std::string(text) + "\"}"); }
const std::string kStop = chunk("{}", "\"stop\"");

Read chat(const std::string& body) { return read_at_every_cut<ChatReader>(body); }

std::string text_of(const Read& read) {
  std::string text;
  json::Parser parser;
  for (std::size_t at = 0; at < read.records.size();) {
    const std::size_t end = read.records.find('\n', at);
    const auto record = parser.parse(read.records.substr(at, end - at));
    if (event::record_type(*record) == event::Text::kType) text += *record->find("text").as_string();
    at = end + 1;
  }
  return text;
}

// The failure of a stream that is read whole.
template <class Reader>
Failure failure_of(const std::string& body) {
  std::string records;
  AnswerWriter out(records, "");
  Reader reader(out, {});
  SseParser sse;
  sse.push(body, reader);
  sse.finish(reader);
  reader.end_of_input();
  EXPECT_TRUE(reader.outcome()->failure.has_value());
  return reader.outcome()->failure.value_or(Failure{});
}

TEST(DialectBugs, Bug20CommentsAreNoData) {
  EXPECT_EQ(text_of(chat(": OPENROUTER PROCESSING\n\n" + events({content("a")}) + ": OPENROUTER PROCESSING\n\n" +
                         events({content("b"), kStop, "[DONE]"}))),
            "ab");
}
TEST(DialectBugs, Bug21CommentsSentAsDataAreNoData) {
  const Read read = chat("data: : OPENROUTER PROCESSING\n\n" + events({content("a"), kStop, "[DONE]"}));
  EXPECT_EQ(text_of(read), "a");
  EXPECT_EQ(read.end, "done end_turn");
}
TEST(DialectBugs, Bug22CommentsMayStandAboveDone) {
  EXPECT_EQ(chat(events({content("a")}) + ": a=1\n: b=2\ndata: [DONE]\n\n").end, "done end_turn");
}
TEST(DialectBugs, Bug23AFirstChunkWithoutChoices) {
  EXPECT_EQ(
      text_of(chat(events({R"({"id":"","choices":[],"prompt_filter_results":[]})", content("a"), kStop, "[DONE]"}))),
      "a");
}
TEST(DialectBugs, Bug24AChunkWithoutChoicesInTheMiddle) {
  EXPECT_EQ(text_of(chat(events({content("a"), R"({"choices":[]})", content("b"), kStop, "[DONE]"}))), "ab");
}
TEST(DialectBugs, Bug25ALastChunkOfUsageAlone) {
  EXPECT_EQ(chat(events({content("a"), kStop, R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":6}})",
                         "[DONE]"}))
                .usage,
            "in 5 out 6");
}
TEST(DialectBugs, Bug26And27ACharacterMaySpanReads) {
  EXPECT_EQ(text_of(chat(events({content("\xE4\xBD\xA0"), kStop}))), "\xE4\xBD\xA0");
  // Cut off for good it is a torn event, which is dropped.
  EXPECT_EQ(chat(events({content("a")}) + "data: {\"choices\":[{\"delta\":{\"content\":\"\xE4\xBD").end,
            "stream: the answer ended before it was complete");
}
TEST(DialectBugs, Bug28ACharacterMaySpanReadsOfStandardInput) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string line = "{\"type\":\"user\",\"text\":\"\xE4\xBD\xA0\"}\n";
  const std::size_t cut = line.find('\xBD');
  Intake intake(context::Framing::kSingle, "", [] {
    return std::make_unique<ChatRequest>(MapperOptions{"test", "http://h"});
  });
  for (const std::string& piece : {line.substr(0, cut), line.substr(cut)}) {
    ASSERT_EQ(write(ends[1], piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
    ASSERT_TRUE(intake.read(ends[0]).has_value());
  }
  close(ends[1]);
  ASSERT_TRUE(intake.read(ends[0]).has_value());
  close(ends[0]);
  ASSERT_EQ(intake.arrived().size(), 1u);
  EXPECT_NE(intake.arrived()[0].mapper->take_body("m").text().find("\"\xE4\xBD\xA0\""), std::string::npos);
}
TEST(DialectBugs, Bug29TwoTextsInOneEvent) {
  EXPECT_EQ(read_at_every_cut<ResponsesReader>("data: {\"type\":\"response.completed\",\"respo\ndata: "
                                               "{\"type\":\"error\",\"error\":{\"message\":\"stream_read_error\"}}\n\n")
                .end,
            "server: stream_read_error");
}
TEST(DialectBugs, Bug30And31AnEndBeforeTheEndIsACutToTryAgain) {
  const Failure responses = failure_of<ResponsesReader>(
      events({R"({"type":"response.created","response":{}})", R"({"type":"response.output_text.delta","delta":"a"})"}));
  EXPECT_TRUE(is_transient(responses.kind));
  EXPECT_EQ(category(responses.kind), "stream");
  EXPECT_TRUE(is_transient(failure_of<ChatReader>(events({content("a")})).kind));
}
// There is no WebSocket here: what is cut is asked for again over HTTP.
TEST(DialectBugs, Bug33ACutConnectionIsTriedAgain) {
  EXPECT_TRUE(decide_retry({}, {0, 0}, failure_of<ResponsesReader>(""), 0.5).delay_s.has_value());
}
TEST(DialectBugs, Bug34And35And38ATextWithoutAnEndIsNeverANormalStop) {
  const Read read = chat(events({content("a")}));
  EXPECT_EQ(text_of(read), "a");
  EXPECT_EQ(read.end, "stream: the answer ended before it was complete");
}
TEST(DialectBugs, Bug37AWholeAnswerMayLackAReason) {
  std::string records;
  AnswerWriter out(records, "");
  ChatReader reader(out, {});
  reader.read_document(R"({"choices":[{"message":{"content":"x"},"finish_reason":null}]})");
  EXPECT_EQ(result_of(reader, "").end, "done end_turn");
}
}  // namespace
}  // namespace magi::provider
