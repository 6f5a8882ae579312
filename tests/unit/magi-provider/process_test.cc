// The provider as a process: how fast the first words come through, and how fast a cancelled answer ends, in every
// state that one can be in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "libcommon/base/clock.h"
#include "tests/unit/magi-provider/recordings.h"
#include "tests/unit/magi-provider/served.h"

namespace magi::provider {
namespace {

constexpr double kNsPerMs = 1e6;

TEST(Process, TheFirstWordsComeThroughAtOnce) {
  FakeServer server(R"({"after":{"text":"0123456789 0123456789","chunk":4,"delay":3}})");
  Served provider({"--base-url", server.url(), "-m", "m"});
  std::vector<double> delays_ms;
  for (std::size_t n = 0; n < 41; ++n) {
    provider.ask("r" + std::to_string(n));
    ASSERT_TRUE(provider.next("text"));
    const std::int64_t read_ns = provider.last_ns();
    ASSERT_TRUE(provider.next("done"));
    delays_ms.push_back(static_cast<double>(read_ns - server.first_byte_ns(n)) / kNsPerMs);
  }
  std::sort(delays_ms.begin(), delays_ms.end());
  std::printf(
      "first words on stdout after their first byte left the server: median %.3f ms, best %.3f, worst %.3f of %zu\n",
      delays_ms[delays_ms.size() / 2], delays_ms.front(), delays_ms.back(), delays_ms.size());
  // A machine under load delays some; what waits for a timer or a full buffer delays all.
  EXPECT_LT(delays_ms.front(), 1.0);
}

struct State {
  const char* name;
  std::string url;
  std::vector<std::string> arguments, environment;
  const char* reached_by;  // the record that comes in this state; nullptr: none, it is reached in no time
  int records = 1;
};

void expect_quick_cancel(const State& state) {
  double best_ms = 1e9;
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::vector<std::string> arguments{"--base-url", state.url, "-m", "m", "--provider", "openai"};
    arguments.insert(arguments.end(), state.arguments.begin(), state.arguments.end());
    Served provider(arguments, state.environment);
    provider.ask("a");
    for (int n = 0; n < state.records; ++n) ASSERT_TRUE(provider.next(state.reached_by)) << state.name;
    usleep(100'000);
    const std::int64_t before_ns = monotonic_ns();
    provider.cancel("a");
    const auto done = provider.next("done");
    ASSERT_TRUE(done) << state.name;
    EXPECT_NE(done->find(R"("request_id":"a")"), std::string::npos);
    EXPECT_NE(done->find(R"("status":"cancelled")"), std::string::npos) << *done;
    best_ms = std::min(best_ms, static_cast<double>(provider.last_ns() - before_ns) / kNsPerMs);
    EXPECT_TRUE(provider.ends_within(2'000)) << state.name;
  }
  std::printf("cancelled while %-10s: answered within %.2f ms\n", state.name, best_ms);
  EXPECT_LT(best_ms, 50) << state.name;
}

TEST(Process, CancellingIsAnsweredAtOnceInEveryState) {
  const RawServer unreachable(RawServer::Kind::kUnreachable), silent(RawServer::Kind::kSilent);
  const RawServer streaming(
      RawServer::Kind::kAnswering,
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
      "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"kept\"}\n\n");
  const RawServer busy(RawServer::Kind::kAnswering, "HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n");
  const std::string shim = "LD_PRELOAD=" + (repository_folder() / "build/tests/libslow_resolver.so").string();
  expect_quick_cancel({"resolving", "http://slow.example/v1", {}, {shim}, "attempt"});
  expect_quick_cancel({"connecting", unreachable.url(), {}, {}, "attempt"});
  expect_quick_cancel({"TLS", silent.url("https"), {}, {}, "attempt"});
  expect_quick_cancel({"waiting", silent.url(), {}, {}, "attempt"});
  expect_quick_cancel({"streaming", streaming.url(), {}, {}, "text"});
  expect_quick_cancel({"sleeping", busy.url(), {"--retry-delay-ms", "60000"}, {}, "attempt", 2});
}

}  // namespace
}  // namespace magi::provider
