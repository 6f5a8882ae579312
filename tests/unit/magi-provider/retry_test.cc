#include "tools/magi-provider/retry.h"

#include <gtest/gtest.h>

#include "libcommon/net/retry_after.h"

namespace magi::provider {
namespace {

Failure failure(FailureKind kind) { return Failure{kind, "m", {}, {}, {}, {}}; }

TEST(Retry, DelaysDoubleWithinTheirSpread) {
  for (int n = 0; n < 5; ++n) {
    const double base = 0.5 * (1 << n);
    EXPECT_DOUBLE_EQ(*decide_retry({}, {n, 0}, failure(FailureKind::kServer), 0).delay_s, base * 0.75);
    EXPECT_NEAR(*decide_retry({}, {n, 0}, failure(FailureKind::kServer), 0.999999).delay_s, base * 1.25, 0.001);
  }
  EXPECT_FALSE(decide_retry({}, {5, 0}, failure(FailureKind::kServer), 0).delay_s);
}

TEST(Retry, BusyServersGetMoreTime) {
  EXPECT_DOUBLE_EQ(*decide_retry({}, {0, 0}, failure(FailureKind::kOverloaded), 0.5).delay_s, 2);
  EXPECT_DOUBLE_EQ(*decide_retry({}, {4, 0}, failure(FailureKind::kRateLimit), 0.5).delay_s, 32);
  RetryPolicy patient;
  patient.max_retries = 15;
  EXPECT_DOUBLE_EQ(*decide_retry(patient, {9, 0}, failure(FailureKind::kRateLimit), 0.5).delay_s, 60);
  EXPECT_DOUBLE_EQ(*decide_retry(patient, {9, 0}, failure(FailureKind::kCut), 0.5).delay_s, 30);
}

TEST(Retry, TheServersDelayIsAFloor) {
  Failure limited = failure(FailureKind::kRateLimit);
  limited.server_delay_s = 1;
  EXPECT_DOUBLE_EQ(*decide_retry({}, {0, 0}, limited, 0).delay_s, 1.5);
  limited.server_delay_s = 30;
  EXPECT_DOUBLE_EQ(*decide_retry({}, {0, 0}, limited, 0).delay_s, 30);
}

TEST(Retry, ALongDelayIsSaidInsteadOfSlept) {
  Failure limited = failure(FailureKind::kRateLimit);
  limited.server_delay_s = 7200;
  const RetryDecision decision = decide_retry({}, {0, 0}, limited, 0);
  EXPECT_FALSE(decision.delay_s);
  EXPECT_EQ(decision.advice, "the server asks to wait 2 h");
  limited.server_delay_s = 90;
  EXPECT_EQ(decide_retry({}, {0, 0}, limited, 0).advice, "the server asks to wait 90 s");
}

TEST(Retry, WhatCannotChangeIsNotTriedAgain) {
  for (const FailureKind kind :
       {FailureKind::kCertificate, FailureKind::kRequest, FailureKind::kAuth, FailureKind::kQuota,
        FailureKind::kOverflow, FailureKind::kPolicy, FailureKind::kTruncated, FailureKind::kConfig})
    EXPECT_FALSE(decide_retry({}, {0, 0}, failure(kind), 0).delay_s) << category(kind);
}

TEST(Retry, TheServerMayForbidButNotForce) {
  Failure forbidden = failure(FailureKind::kServer);
  forbidden.server_says_retry = false;
  EXPECT_FALSE(decide_retry({}, {0, 0}, forbidden, 0).delay_s);
  Failure forced = failure(FailureKind::kRequest);
  forced.server_says_retry = true;
  EXPECT_FALSE(decide_retry({}, {0, 0}, forced, 0).delay_s);
}

TEST(Retry, AllWaitsTogetherAreBounded) {
  EXPECT_TRUE(decide_retry({}, {4, 140}, failure(FailureKind::kRateLimit), 0.5).delay_s);
  EXPECT_FALSE(decide_retry({}, {4, 150}, failure(FailureKind::kRateLimit), 0.5).delay_s);
}

TEST(Retry, ServerDelaysInEveryForm) {
  EXPECT_DOUBLE_EQ(*net::server_delay("1500.5", "9", "", 0), 1.5005);
  EXPECT_DOUBLE_EQ(*net::server_delay("", "2.5", "", 0), 2.5);
  EXPECT_DOUBLE_EQ(*net::server_delay("0", "1", "", 0), 1);
  EXPECT_FALSE(net::server_delay("0", "0", "", 0));
  EXPECT_FALSE(net::server_delay("nan", "-1", "", 0));
  EXPECT_FALSE(net::server_delay("", "soon", "", 0));
  // Against the server's own clock, however wrong ours is.
  EXPECT_DOUBLE_EQ(
      *net::server_delay("", "Sun, 06 Nov 1994 08:49:47 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 2'000'000'000), 10);
  EXPECT_DOUBLE_EQ(*net::server_delay("", "Sun, 06 Nov 1994 08:49:47 GMT", "", 784111777), 10);
  EXPECT_FALSE(net::server_delay("", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:47 GMT", 0));
}

}  // namespace
}  // namespace magi::provider
