#include "tools/magi-provider/failure.h"

#include <gtest/gtest.h>

namespace magi::provider {
namespace {

std::string by_status(std::int64_t status, std::string_view body) {
  const Failure failure = classify_status(status, read_error_body(body));
  return std::string(category(failure.kind)) + ": " + failure.message;
}

TEST(Failure, BodiesOfEveryShapeAreReadable) {
  EXPECT_EQ(
      by_status(
          401,
          R"({"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}})"),
      "auth: HTTP 401: Incorrect API key provided");
  EXPECT_EQ(by_status(400, R"({"code":"invalid-argument","error":"Bad key"})"), "request: HTTP 400: Bad key");
  EXPECT_EQ(by_status(401, R"({"detail":"Invalid API Key"})"), "auth: HTTP 401: Invalid API Key");
  EXPECT_EQ(by_status(500, R"([{"error":{"code":500,"message":"Internal"}}])"), "server: HTTP 500: Internal");
  EXPECT_EQ(by_status(400, R"({"message":"Malformed input"})"), "request: HTTP 400: Malformed input");
  EXPECT_EQ(by_status(404, R"({"error":{"code":"model_not_found"}})"), "request: HTTP 404: model_not_found");
  EXPECT_EQ(by_status(502, "<!DOCTYPE html><html><head><title>Bad gateway</title></head>"),
            "server: HTTP 502: an HTML page instead of an answer: Bad gateway");
  EXPECT_EQ(by_status(500, "plain\n  text\x01"), "server: HTTP 500: plain text");
  EXPECT_EQ(by_status(429, ""), "rate_limit: HTTP 429");
  EXPECT_EQ(
      by_status(429,
                R"({"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"busy upstream"}}})"),
      "rate_limit: HTTP 429: Provider returned error: busy upstream");
}

TEST(Failure, StatusesHaveTheirKinds) {
  for (const int status : {408, 409, 425, 500, 502, 504, 520, 524})
    EXPECT_EQ(by_status(status, "x").substr(0, 7), "server:") << status;
  for (const int status : {503, 529}) EXPECT_EQ(by_status(status, "x").substr(0, 11), "overloaded:") << status;
  for (const int status : {404, 405, 422}) EXPECT_EQ(by_status(status, "x").substr(0, 8), "request:") << status;
  EXPECT_EQ(by_status(402, "x").substr(0, 6), "quota:");
  EXPECT_EQ(by_status(403, "x").substr(0, 5), "auth:");
}

TEST(Failure, OverflowsAreKnownByCodeTypeAndWords) {
  const auto is_overflow = [](std::string_view body) {
    return by_status(400, body).substr(0, 17) == "context_overflow:";
  };
  EXPECT_TRUE(is_overflow(R"({"error":{"message":"You passed 99073 input tokens","code":"context_length_exceeded"}})"));
  EXPECT_TRUE(is_overflow(
      R"({"error":{"code":400,"type":"exceed_context_size_error","message":"request (4476 tokens) exceeds"}})"));
  EXPECT_TRUE(is_overflow(
      R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}})"));
  EXPECT_TRUE(is_overflow(R"({"error":{"message":"input length and `max_tokens` exceed context limit: 1 + 2 > 3"}})"));
  EXPECT_TRUE(is_overflow(R"({"error":{"message":"Prompt too long; exceeded max context length by 4 tokens"}})"));
  EXPECT_TRUE(is_overflow(""));
  EXPECT_FALSE(is_overflow(R"({"error":{"message":"Unsupported parameter"}})"));
  EXPECT_EQ(by_status(413, "too large").substr(0, 17), "context_overflow:");
  EXPECT_EQ(by_status(429, R"({"error":{"message":"reduce the length of the messages"}})").substr(0, 11),
            "rate_limit:");
}

TEST(Failure, QuotasAreNotRateLimits) {
  EXPECT_EQ(by_status(429, R"({"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}})")
                .substr(0, 6),
            "quota:");
  EXPECT_EQ(
      by_status(429, R"({"error":{"type":"rate_limit_error","details":{"error_code":"enforced_spend_limit_reached"}}})")
          .substr(0, 6),
      "quota:");
  EXPECT_EQ(
      by_status(429, R"({"error":{"message":"Request too large for m: Limit 30000, Requested 40000"}})").substr(0, 6),
      "quota:");
  EXPECT_EQ(by_status(400, R"({"error":{"message":"Your credit balance is too low"}})").substr(0, 6), "quota:");
}

TEST(Failure, DelaysAreReadFromTexts) {
  EXPECT_DOUBLE_EQ(*delay_in_text("Please try again in 11.054s."), 11.054);
  EXPECT_DOUBLE_EQ(*delay_in_text("Try Again In 20 ms"), 0.02);
  EXPECT_DOUBLE_EQ(*delay_in_text("try again in 1m30s"), 90);
  EXPECT_DOUBLE_EQ(*delay_in_text("try again in 5 seconds"), 5);
  EXPECT_FALSE(delay_in_text("try again later"));
  EXPECT_FALSE(delay_in_text("try again in a while"));
  EXPECT_DOUBLE_EQ(
      *classify_status(
           429, read_error_body(R"({"error":{"message":"m","details":[{"@type":"x.RetryInfo","retryDelay":"34s"}]}})"))
           .server_delay_s,
      34);
}

TEST(Failure, KeysAreMasked) {
  EXPECT_EQ(redacted("bad key sk-12345, really sk-12345", "sk-12345"), "bad key [key], really [key]");
  EXPECT_EQ(redacted("x marks", "x"), "x marks");
  EXPECT_EQ(redacted("not ghp_" + std::string(36, 'a') + " either", ""), "not [key] either");
  EXPECT_EQ(redacted("a [key] b", "[key]"), "a [key] b");
}

TEST(Failure, LongTextsAreCutBetweenCharacters) {
  std::string text(499, 'a');
  text += "\xC3\xA9xyz";
  EXPECT_EQ(one_line(text), std::string(499, 'a') + "...");
}

}  // namespace
}  // namespace magi::provider
