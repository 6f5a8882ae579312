#include "tools/magi-provider/exchange.h"

#include "tests/unit/magi-provider/reading.h"
#include "tools/magi-provider/chat_reader.h"

namespace magi::provider {
namespace {

struct Response {
  ResponseHead head;
  std::string body;
  std::optional<Failure> broken;
};

std::string outcome_of(const Response& response, std::size_t piece = std::string::npos) {
  std::string records;
  AnswerWriter out(records, "");
  ChatReader reader(out, {});
  Exchange exchange(reader);
  if (response.head.status) exchange.on_head(response.head);
  for (std::size_t at = 0; at < response.body.size(); at += std::min(piece, response.body.size() - at))
    exchange.on_bytes(std::string_view(response.body).substr(at, piece));
  exchange.finish(response.broken);
  const auto& failure = exchange.outcome()->failure;
  if (!failure) return "done " + exchange.outcome()->stop_reason;
  std::string text = std::string(category(failure->kind)) + ": " + failure->message;
  if (failure->server_delay_s) text += " delay " + std::to_string(static_cast<int>(*failure->server_delay_s));
  if (!failure->upstream_request_id.empty()) text += " id " + failure->upstream_request_id;
  return text;
}

ResponseHead head(std::int64_t status) {
  ResponseHead made;
  made.status = status;
  return made;
}

const std::string kText = events({R"({"choices":[{"index":0,"delta":{"content":"a"}}]})"});
const std::string kFinished = kText + events({R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"});

TEST(Exchange, StreamsAreKnownByTheirFirstCharacter) {
  for (const std::size_t piece : {std::size_t{1}, std::string::npos}) {
    EXPECT_EQ(outcome_of({head(200), "\n: comment\n\n" + kFinished, {}}, piece), "done end_turn");
    EXPECT_EQ(outcome_of({head(200), R"( {"error":{"message":"Overloaded"}})", {}}, piece), "overloaded: Overloaded");
    EXPECT_EQ(outcome_of({head(200), "<html><title>Sign in</title>", {}}, piece),
              "request: not a model's answer: an HTML page instead of an answer: Sign in");
  }
}

TEST(Exchange, AnEmptyBodyIsACut) {
  EXPECT_EQ(outcome_of({head(200), "", {}}), "stream: the answer ended before it was complete");
}

TEST(Exchange, ErrorsHaveTheServersDelayAndId) {
  ResponseHead busy = head(503);
  busy.retry_after = "7";
  busy.request_id = "req_1";
  EXPECT_EQ(outcome_of({busy, R"({"error":{"message":"m"}})", {}}), "overloaded: HTTP 503: m delay 7 id req_1");
  ResponseHead proxied = head(500);
  proxied.proxy_id = "ray";
  EXPECT_EQ(outcome_of({proxied, "", {}}), "server: HTTP 500 id ray");
}

TEST(Exchange, RedirectsAreNotFollowed) {
  ResponseHead moved = head(307);
  moved.location = "https://evil.example/take?key";
  EXPECT_EQ(outcome_of({moved, "", {}}),
            "request: HTTP 307: the server redirects to https://evil.example; a key is sent to the base URL alone");
}

TEST(Exchange, ABrokenConnectionIsACutUnlessAllThatCountsHadCome) {
  const Failure broken{FailureKind::kCut, "reset", {}, {}, {}, {}};
  EXPECT_EQ(outcome_of({head(200), kText, broken}), "stream: reset");
  EXPECT_EQ(outcome_of({head(200), kFinished, broken}), "done end_turn");
  EXPECT_EQ(outcome_of({{}, "", Failure{FailureKind::kConnect, "refused", {}, {}, {}, {}}}), "connect: refused");
}

TEST(Exchange, AnErrorInsideTheStreamCarriesTheId) {
  ResponseHead named = head(200);
  named.request_id = "req_2";
  EXPECT_EQ(outcome_of({named, events({R"({"error":{"message":"Overloaded"}})"}), {}}),
            "overloaded: Overloaded id req_2");
}

}  // namespace
}  // namespace magi::provider
