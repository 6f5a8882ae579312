#include "libcommon/net/sse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace magi::net {
namespace {

struct Collector final : SseSink {
  std::vector<std::string> seen;
  void on_sse(const SseEvent& event) override {
    seen.push_back(std::string(event.name) + "|" + std::string(event.data) + (event.torn ? "|torn" : ""));
  }
};

using Events = std::vector<std::string>;

Events parse(std::string_view body, std::size_t cut = std::string_view::npos) {
  Collector collector;
  SseParser parser;
  parser.push(body.substr(0, cut), collector);
  if (cut < body.size()) parser.push(body.substr(cut), collector);
  parser.finish(collector);
  return collector.seen;
}

// The events, which must be the same at every cut and byte by byte.
Events parse_everywhere(std::string_view body) {
  const Events whole = parse(body);
  for (std::size_t cut = 0; cut <= body.size(); ++cut) EXPECT_EQ(parse(body, cut), whole) << "cut at " << cut;
  Collector collector;
  SseParser parser;
  for (const char byte : body) parser.push({&byte, 1}, collector);
  parser.finish(collector);
  EXPECT_EQ(collector.seen, whole) << "byte by byte";
  return whole;
}

TEST(SseParser, DispatchesAtBlankLines) {
  EXPECT_EQ(parse_everywhere("data: a\n\nevent: x\ndata: b\n\n"), (Events{"message|a", "x|b"}));
}

TEST(SseParser, TakesEveryLineEnd) {
  EXPECT_EQ(parse_everywhere("data: a\r\n\r\ndata: b\r\rdata: c\n\r\ndata: d\r\n\n"),
            (Events{"message|a", "message|b", "message|c", "message|d"}));
}

TEST(SseParser, OnlyLineEndsEndLines) {
  EXPECT_EQ(parse_everywhere("data: a\xE2\x80\xA8"
                             "b\x0b"
                             "c\xC2\x85\x0c\n\n"),
            (Events{"message|a\xE2\x80\xA8"
                    "b\x0b"
                    "c\xC2\x85\x0c"}));
}

TEST(SseParser, DispatchesAtACarriageReturnWithoutWaiting) {
  Collector collector;
  SseParser parser;
  parser.push("data: a\r\r", collector);
  EXPECT_EQ(collector.seen, (Events{"message|a"}));
}

TEST(SseParser, DropsOneByteOrderMark) {
  EXPECT_EQ(parse_everywhere("\xEF\xBB\xBF"
                             "data: a\n\n"),
            (Events{"message|a"}));
  EXPECT_EQ(parse_everywhere("data: a\n\xEF\xBB\xBF"
                             "data: b\n\n"),
            (Events{"message|a"}));
}

TEST(SseParser, IgnoresCommentsAndUnknownFields) {
  EXPECT_EQ(
      parse_everywhere(": OPENROUTER PROCESSING\n\n: a=1\n: b=2\ndata: [DONE]\nid: 7\nretry: 3\nData: x\n data: y\n\n"),
      (Events{"message|[DONE]"}));
}

TEST(SseParser, DropsOneBlankBehindTheColon) {
  EXPECT_EQ(parse_everywhere("data:a\n\ndata:  b\n\ndata:\tc\n\n"), (Events{"message|a", "message| b", "message|\tc"}));
}

TEST(SseParser, JoinsDataLines) {
  EXPECT_EQ(parse_everywhere("data: {\ndata:  \"a\": 1\ndata: }\n\ndata\ndata: x\n\n"),
            (Events{"message|{\n \"a\": 1\n}", "message|\nx"}));
}

TEST(SseParser, AnEventNameAloneIsNoEvent) {
  EXPECT_EQ(parse_everywhere("event: x\n\ndata: a\n\nevent: p\nevent: q\ndata: b\n\n"), (Events{"message|a", "q|b"}));
}

TEST(SseParser, ABareErrorFieldIsAnErrorEvent) {
  EXPECT_EQ(parse_everywhere("error: {\"message\":\"m\"}\n\n"), (Events{"error|{\"message\":\"m\"}"}));
}

TEST(SseParser, HandsOutWhatIsPendingAtTheEnd) {
  EXPECT_EQ(parse_everywhere("data: a\n\ndata: [DONE]"), (Events{"message|a", "message|[DONE]|torn"}));
  EXPECT_EQ(parse_everywhere("data: b\n"), (Events{"message|b|torn"}));
}

TEST(SseParser, StopsAtALineOverTheLimit) {
  Collector collector;
  SseParser parser;
  parser.push("data: " + std::string(SseParser::kMaxLineBytes + 1, 'x'), collector);
  EXPECT_TRUE(parser.overflowed());
  parser.push("\n\ndata: a\n\n", collector);
  parser.finish(collector);
  EXPECT_TRUE(collector.seen.empty());
}

TEST(SseParser, StopsAtAnEventOverTheLimit) {
  Collector collector;
  SseParser parser;
  const std::string line = "data: " + std::string(SseParser::kMaxLineBytes / 2, 'x') + "\n";
  for (int i = 0; i < 5; ++i) parser.push(line, collector);
  EXPECT_TRUE(parser.overflowed());
}

TEST(SseParser, RemembersTheLastId) {
  Collector collector;
  SseParser parser;
  parser.push("id: 7\ndata:\n\nid: 8\ndata: x\n\ndata: y\n\n", collector);
  EXPECT_EQ(parser.last_id(), "8");
  EXPECT_EQ(collector.seen, (Events{"message|x", "message|y"}));
  parser.push(std::string_view("id: a\0b\ndata: z\n\n", 19), collector);
  EXPECT_EQ(parser.last_id(), "8");
}

}  // namespace
}  // namespace magi::net
