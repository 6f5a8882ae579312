// Reports of what broke other clients, by their numbers in the collection: errors, limits and waits.
#include <gtest/gtest.h>

#include "tests/unit/magi-provider/reading.h"
#include "tools/magi-provider/chat_reader.h"
#include "tools/magi-provider/exchange.h"
#include "tools/magi-provider/messages_reader.h"
#include "tools/magi-provider/retry.h"

namespace magi::provider {
namespace {

Failure refusal(std::int64_t status, std::string_view body, ResponseHead head = {}) {
  std::string records;
  AnswerWriter out(records, "");
  ChatReader reader(out, {});
  Exchange exchange(reader);
  head.status = status;
  exchange.on_head(head);
  exchange.on_bytes(body);
  exchange.finish({});
  EXPECT_TRUE(exchange.outcome()->failure.has_value());
  return *exchange.outcome()->failure;
}

Failure in_stream(const std::string& body) {
  std::string records;
  AnswerWriter out(records, "");
  MessagesReader reader(out, {});
  SseParser sse;
  sse.push(body, reader);
  sse.finish(reader);
  reader.end_of_input();
  EXPECT_TRUE(reader.outcome()->failure.has_value());
  return reader.outcome()->failure.value_or(Failure{});
}

bool is_retried(const Failure& failure) { return decide_retry({}, {0, 0}, failure, 0.5).delay_s.has_value(); }
double delay_of(const Failure& failure, int retries = 0, double dice = 0) {
  return decide_retry({}, {retries, 0}, failure, dice).delay_s.value_or(-1);
}
ResponseHead retry_after(std::string seconds) {
  ResponseHead head;
  head.retry_after = std::move(seconds);
  return head;
}

const std::string kOverloaded =
    events({R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}})"}) +
    "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";

TEST(DialectBugs, Bug46ItsTypeDecidesAndNotTheStatus200) {
  const auto kind = [](const std::string& type) {
    return in_stream(events({R"({"type":"error","error":{"type":")" + type + R"(","message":"m"}})"})).kind;
  };
  EXPECT_EQ(kind("rate_limit_error"), FailureKind::kRateLimit);
  EXPECT_EQ(kind("api_error"), FailureKind::kServer);
  EXPECT_EQ(kind("timeout_error"), FailureKind::kServer);
  EXPECT_EQ(kind("authentication_error"), FailureKind::kAuth);
  EXPECT_EQ(kind("invalid_request_error"), FailureKind::kRequest);
}
TEST(DialectBugs, Bug47AnErrorIsNoRefusalOfTheModel) {
  EXPECT_NE(in_stream(kOverloaded).kind, FailureKind::kPolicy);
  EXPECT_TRUE(is_retried(refusal(529, R"({"type":"error","error":{"type":"overloaded_error","message":"m"}})")));
}
TEST(DialectBugs, Bug48TheDriverRetriesWhatFailsInsideAStream) {
  EXPECT_EQ(delay_of(in_stream(kOverloaded), 0, 0.5), 2);
  EXPECT_EQ(delay_of(in_stream(kOverloaded), 1, 0.5), 4);
}
TEST(DialectBugs, Bug49AnOverflowIsKnownByItsCode) {
  EXPECT_EQ(
      refusal(400, R"({"error":{"code":"context_length_exceeded","message":"You passed 99073 input tokens…"}})").kind,
      FailureKind::kOverflow);
}
TEST(DialectBugs, Bug50And51And54AnOverflowIsReportedAndNeverRepeatedHere) {
  EXPECT_FALSE(is_retried(refusal(400, R"({"error":{"message":"prompt is too long: 2 tokens > 1 maximum"}})")));
}
TEST(DialectBugs, Bug53TheSmallerWindowOfALocalServerIsSaid) {
  const Failure failure = refusal(
      400,
      R"x({"error":{"code":400,"type":"exceed_context_size_error","message":"request (4476 tokens) exceeds the available context size (4096 tokens)"}})x");
  EXPECT_EQ(failure.kind, FailureKind::kOverflow);
  EXPECT_NE(failure.message.find("4096"), std::string::npos);
}
TEST(DialectBugs, Bug55InputAndOutputTogetherOverTheLimitIsAnOverflow) {
  const Failure failure = refusal(
      400,
      R"({"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again"}})");
  EXPECT_EQ(failure.kind, FailureKind::kOverflow);
  EXPECT_FALSE(is_retried(failure));
}
TEST(DialectBugs, Bug56TheServersDelayIsKept) { EXPECT_GE(delay_of(refusal(429, "{}", retry_after("30"))), 30); }
TEST(DialectBugs, Bug57ASmallDelayOfTheServerIsNoExcuseForHaste) {
  double total_s = 0;
  for (int n = 0; n < 5; ++n) total_s += delay_of(refusal(429, "{}", retry_after("1")), n);
  EXPECT_GT(total_s, 40);
}
TEST(DialectBugs, Bug58ALongDelayIsSaidAtOnce) {
  const RetryDecision decision = decide_retry({}, {0, 0}, refusal(429, "{}", retry_after("14400")), 0.5);
  EXPECT_FALSE(decision.delay_s);
  EXPECT_EQ(decision.advice, "the server asks to wait 4 h");
}
TEST(DialectBugs, Bug59WithoutADelayOfTheServerOursGrows) {
  for (int n = 0; n < 5; ++n) EXPECT_GE(delay_of(refusal(429, ""), n), 1.5 * (1 << n));
}
TEST(DialectBugs, Bug60AQuotaIsShownAndNotRetried) {
  const Failure failure =
      refusal(429, R"({"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your daily quota"}})");
  EXPECT_EQ(failure.kind, FailureKind::kQuota);
  EXPECT_FALSE(is_retried(failure));
}
TEST(DialectBugs, Bug61AnEmptyRefusalStillNamesStatusAndRequest) {
  ResponseHead head;
  head.request_id = "req_9";
  const Failure failure = refusal(429, "", head);
  EXPECT_EQ(failure.message, "HTTP 429");
  EXPECT_EQ(failure.upstream_request_id, "req_9");
  EXPECT_EQ(failure.http_status, 429);
}
TEST(DialectBugs, Bug64ADelayOfZeroIsNone) {
  ResponseHead head = retry_after("0");
  head.retry_after_ms = "0";
  EXPECT_FALSE(refusal(429, "{}", head).server_delay_s);
  head.retry_after = "1";
  EXPECT_EQ(refusal(429, "{}", head).server_delay_s, 1);
}
TEST(DialectBugs, Bug65BodiesOfOtherShapes) {
  EXPECT_EQ(refusal(400, R"({"code":"x","error":"text"})").message, "HTTP 400: text");
  EXPECT_EQ(refusal(401, R"({"detail":"Invalid API Key"})").message, "HTTP 401: Invalid API Key");
  EXPECT_EQ(refusal(400, R"([{"error":{"code":400,"message":"m"}}])").message, "HTTP 400: m");
  EXPECT_EQ(refusal(502, "<html><title>Bad</title>").message, "HTTP 502: an HTML page instead of an answer: Bad");
  EXPECT_EQ(refusal(500, "").message, "HTTP 500");
}
TEST(Retry, AQuotaSaysWhenItIsFreshAgain) {
  const Failure failure = refusal(
      429,
      R"({"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_in_seconds":5400}})");
  EXPECT_EQ(failure.kind, FailureKind::kQuota);
  EXPECT_EQ(decide_retry({}, {0, 0}, failure, 0).advice, "it is fresh again in 90 min");
}
TEST(Retry, ARefusedConnectionOnThisMachineIsTriedTwiceMore) {
  Failure refused{FailureKind::kConnect, "m", {}, {}, {}, {}};
  refused.nobody_listens = true;
  EXPECT_TRUE(decide_retry({}, {1, 0}, refused, 0).delay_s);
  EXPECT_FALSE(decide_retry({}, {2, 0}, refused, 0).delay_s);
  RetryPolicy never;
  never.max_retries = 0;
  EXPECT_FALSE(decide_retry(never, {0, 0}, refused, 0).delay_s);
}

}  // namespace
}  // namespace magi::provider
