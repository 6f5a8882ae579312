#include "libcommon/base/clock.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "libcommon/base/result.h"

namespace magi {
namespace {

TEST(Rfc3339, PrintsUtcWithMilliseconds) {
  EXPECT_EQ(format_rfc3339(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_rfc3339(1796032801234), "2026-11-30T10:00:01.234Z");
  EXPECT_EQ(format_rfc3339(951782400000), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(format_rfc3339(-1), "1969-12-31T23:59:59.999Z");
}

TEST(Rfc3339, RoundTrips) {
  for (std::int64_t ms = -5'000'000'000'000; ms < 5'000'000'000'000; ms += 7'777'777'777)
    ASSERT_EQ(parse_rfc3339(format_rfc3339(ms)), ms);
}

TEST(Rfc3339, ReadsAnyFractionAndOffset) {
  const std::int64_t at = 1796032801000;
  EXPECT_EQ(parse_rfc3339("2026-11-30T10:00:01Z"), at);
  EXPECT_EQ(parse_rfc3339("2026-11-30t10:00:01z"), at);
  EXPECT_EQ(parse_rfc3339("2026-11-30 10:00:01Z"), at);
  EXPECT_EQ(parse_rfc3339("2026-11-30T10:00:01.5Z"), at + 500);
  EXPECT_EQ(parse_rfc3339("2026-11-30T10:00:01.123456789Z"), at + 123);
  EXPECT_EQ(parse_rfc3339("2026-11-30T12:30:01+02:30"), at);
  EXPECT_EQ(parse_rfc3339("2026-11-30T05:00:01.000-05:00"), at);
  EXPECT_EQ(parse_rfc3339("2016-12-31T23:59:60Z"), 1483228800000);  // a leap second
}

TEST(Rfc3339, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2026-11-30", "2026-11-30T10:00:01", "2026-02-30T10:00:01Z", "2026-13-01T10:00:01Z", "2026-11-30T24:00:00Z",
        "2026-11-30T10:60:00Z", "2026-11-30T10:00:61Z", "2026-11-30T10:00:01.Z", "2026-11-30T10:00:01+0230",
        "2026-11-30T10:00:01+24:00", "2026-11-30T10:00:01Zx", "2026-11-30X10:00:01Z", "20a6-11-30T10:00:01Z",
        "2026-00-10T10:00:01Z", "1796032801"})
    EXPECT_FALSE(parse_rfc3339(text)) << text;
}

TEST(Error, EachKindHasItsExitStatusAndName) {
  EXPECT_EQ(exit_status(ErrorCode::kUsage), 2);
  EXPECT_EQ(exit_status(ErrorCode::kConfig), 2);
  EXPECT_EQ(exit_status(ErrorCode::kBusy), 3);
  EXPECT_EQ(exit_status(ErrorCode::kLimit), 4);
  EXPECT_EQ(exit_status(ErrorCode::kCancelled), 130);
  for (const ErrorCode code : {ErrorCode::kIo, ErrorCode::kNoSpace, ErrorCode::kNotFound, ErrorCode::kBadRecord,
                               ErrorCode::kUnsafe, ErrorCode::kDenied, ErrorCode::kUpstream, ErrorCode::kInternal})
    EXPECT_EQ(exit_status(code), 1);
  EXPECT_EQ(category_name(ErrorCode::kNoSpace), "no_space");
}

TEST(Error, AFullDiskCanBeToldApart) {
  EXPECT_EQ(errno_error("x", ENOSPC).code, ErrorCode::kNoSpace);
  EXPECT_EQ(errno_error("x", EDQUOT).code, ErrorCode::kNoSpace);
  EXPECT_EQ(errno_error("x", EIO).code, ErrorCode::kIo);
  EXPECT_EQ(errno_error("cannot open 'x'", ENOENT).code, ErrorCode::kNotFound);
  EXPECT_EQ(errno_error("cannot open 'x'", ENOENT).what, "cannot open 'x': No such file or directory");
}

TEST(Error, OperandsInMessagesAreHarmless) {
  EXPECT_EQ(magi::quoted("a b"), "'a b'");
  EXPECT_EQ(magi::quoted("it's\n\x1b[0m"), "'it\\'s\\x0a\\x1b[0m'");
  EXPECT_EQ(magi::quoted(std::string(300, 'x')), "'" + std::string(200, 'x') + "...'");
}

Result<int> half(int value) {
  if (value % 2) return make_error(ErrorCode::kUsage, "odd: ", std::to_string(value));
  return value / 2;
}

Result<int> quarter(int value) {
  MAGI_TRY(const int once, half(value));
  MAGI_TRY(const int twice, half(once));
  return twice;
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().what, "odd: 3");
  EXPECT_EQ(quarter(5).error().what, "odd: 5");
}

}  // namespace
}  // namespace magi
