// Long streams: how fast they are read, and that reading them does not take ever more memory.
#include <gtest/gtest.h>
#include <malloc.h>
#include <time.h>

#include <cstdio>

#include "tests/unit/magi-provider/reading.h"
#include "tools/magi-provider/chat_reader.h"
#include "tools/magi-provider/exchange.h"
#include "tools/magi-provider/messages_reader.h"
#include "tools/magi-provider/responses_reader.h"

namespace magi::provider {
namespace {

constexpr std::size_t kReadBytes = 16 * 1024;  // what a TLS record holds at most

double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Deltas as the servers send them: a few words each.
std::string responses_delta(int n) {
  return "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":" +
         std::to_string(n) +
         R"(,"item_id":"msg_0a1b2c3d4e5f60718293a4b5c6d7e8f9","output_index":0,"content_index":0,"delta":" and the next","logprobs":[]})"
         "\n\n";
}
std::string messages_delta(int) {
  return "event: content_block_delta\ndata: "
         R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" and the next words"}})"
         "\n\n";
}
std::string chat_delta(int) {
  return R"(data: {"id":"chatcmpl-BxYzAbCdEfGhIjKlMnOpQrStUvWx","object":"chat.completion.chunk","created":1790000000,"model":"m-1-2026","service_tier":"default","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":{"content":" and the next"},"logprobs":null,"finish_reason":null}],"usage":null})"
         "\n\n";
}

template <class Reader>
double megabytes_a_second(std::string (*delta)(int), std::string_view end) {
  constexpr std::size_t kBytes = 20u << 20;
  std::string body;
  body.reserve(kBytes + 4096);
  for (int n = 0; body.size() < kBytes; ++n) body += delta(n);
  body += end;
  std::string records;
  AnswerWriter out(records, "r1");
  Reader reader(out, {"test", "http://h/v1", {}, {}});
  Exchange exchange(reader);
  ResponseHead head;
  head.status = 200;
  exchange.on_head(head);
  const double before_s = cpu_s();
  for (std::size_t at = 0; at < body.size(); at += kReadBytes) {
    exchange.on_bytes(std::string_view(body).substr(at, kReadBytes));
    // The host writes what there is after each read.
    if (at + kReadBytes < body.size()) records.clear();
  }
  exchange.finish({});
  const double took_s = cpu_s() - before_s;
  EXPECT_FALSE(exchange.outcome()->failure.has_value());
  return static_cast<double>(body.size()) / 1e6 / took_s;
}

TEST(LongStream, TwentyMegabytesAreReadFast) {
  const double responses = megabytes_a_second<ResponsesReader>(
      responses_delta, "data: {\"type\":\"response.completed\",\"response\":{}}\n\n");
  const double messages = megabytes_a_second<MessagesReader>(
      messages_delta,
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: "
      "{\"type\":\"message_stop\"}\n\n");
  const double chat = megabytes_a_second<ChatReader>(
      chat_delta, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
  std::printf("20 MB of small deltas, MB/s of CPU time: responses %.0f, messages %.0f, chat %.0f\n", responses,
              messages, chat);
  // Far below what it is: what is quadratic or copies everything fails.
  for (const double speed : {responses, messages, chat}) EXPECT_GT(speed, 60);
}

// An hour at 50 deltas a second, with a ping every 15 s.
template <class Reader>
std::size_t growth_bytes(std::string (*delta)(int)) {
  std::string records;
  records.reserve(1 << 20);
  AnswerWriter out(records, "r1");
  Reader reader(out, {"test", "http://h/v1", {}, {}});
  Exchange exchange(reader);
  ResponseHead head;
  head.status = 200;
  exchange.on_head(head);
  std::size_t after_a_minute = 0;
  for (int n = 0; n < 50 * 3600; ++n) {
    exchange.on_bytes(delta(n));
    if (n % 750 == 0) exchange.on_bytes(": ping\n\n");
    if (n % 10 == 0) records.clear();
    if (n == 50 * 60) after_a_minute = mallinfo2().uordblks;
  }
  EXPECT_FALSE(exchange.outcome().has_value());
  const std::size_t now = mallinfo2().uordblks;
  return now > after_a_minute ? now - after_a_minute : 0;
}

TEST(LongStream, AnHourTakesNoMoreMemoryThanAMinute) {
  const std::size_t responses = growth_bytes<ResponsesReader>(responses_delta);
  const std::size_t messages = growth_bytes<MessagesReader>(messages_delta);
  const std::size_t chat = growth_bytes<ChatReader>(chat_delta);
  std::printf("bytes more after an hour than after a minute: responses %zu, messages %zu, chat %zu\n", responses,
              messages, chat);
  for (const std::size_t bytes : {responses, messages, chat}) EXPECT_LT(bytes, 64u * 1024);
}

}  // namespace
}  // namespace magi::provider
