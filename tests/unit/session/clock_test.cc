// A clock that stands, jumps and goes backwards between the events of a session.
#include <gtest/gtest.h>

#include "libcommon/session/store.h"
#include "libcommon/session/writer.h"
#include "tests/unit/scratch.h"

namespace magi::session {
namespace {

std::int64_t now_ms = 0;

constexpr std::int64_t kNoon = 1'796'040'000'000, kHour = 3'600'000;

std::string append(Writer& writer, const std::string& text) {
  event::UserInput input;
  input.turn_id = "t";
  input.text = text;
  return writer.append(input, Durability::kRequired).value_or("");
}

TEST(Clock, OrderIsThatOfTheFileWhateverTheTime) {
  const test::Scratch scratch;
  const Home home(scratch / "home");
  now_ms = kNoon;
  const WriterOptions options{"/project", Family::kPrimary, [] { return now_ms; }};
  Writer writer = Writer::create(home, options);
  std::vector<std::string> ids;
  for (const std::int64_t time : {kNoon, kNoon, kNoon - 5 * kHour, std::int64_t{0}, kNoon - kHour}) {
    now_ms = time;
    ids.push_back(append(writer, std::to_string(time)));
  }
  const std::string text = test::slurp(home.session(writer.id()));
  std::size_t at = 0;
  for (const std::string& id : ids) {
    const std::size_t found = text.find("\"event_id\":\"" + id + '"', at);
    ASSERT_NE(found, std::string::npos) << id;
    at = found + 1;
  }
  EXPECT_EQ(writer.facts().newest_visible_ms, kNoon) << "the latest time, not the last";
}

TEST(Clock, ASessionWrittenBeforeTheClockWentBackStaysTheLatest) {
  const test::Scratch scratch;
  const Home home(scratch / "home");
  const WriterOptions options{scratch.path(), Family::kPrimary, [] { return now_ms; }};
  now_ms = kNoon;
  Writer early = Writer::create(home, options);
  EXPECT_NE(append(early, "at noon"), "");
  now_ms = kNoon - kHour;
  Writer late = Writer::create(home, options);
  EXPECT_NE(append(late, "after the clock was set back"), "");
  EXPECT_EQ((*latest_eligible(home, scratch.path()))->id, early.id());
  now_ms = kNoon + 1;
  EXPECT_NE(append(late, "later"), "");
  EXPECT_EQ((*latest_eligible(home, scratch.path()))->id, late.id());
}

TEST(Clock, EventIdsGoOnWhenItGoesBack) {
  const test::Scratch scratch;
  const Home home(scratch / "home");
  std::uint64_t before = 0;
  for (const std::int64_t time : {kNoon, kNoon - kHour, std::int64_t{0}}) {
    now_ms = time;
    Writer writer = Writer::create(home, {"/project", Family::kPrimary, [] { return now_ms; }});
    const std::uint64_t id = std::stoull(append(writer, "x"), nullptr, 16);
    EXPECT_GT(id, before);
    before = id;
  }
}

}  // namespace
}  // namespace magi::session
