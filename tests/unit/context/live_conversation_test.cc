#include <gtest/gtest.h>

#include "libcommon/context/live_conversation.h"
#include "tests/unit/context/random_session.h"
#include "tests/unit/context/replay_support.h"

namespace magi::context::test {
namespace {

// The stream without what only a reading of a file can know.
std::string without_read(std::string stream) {
  const std::size_t at = stream.rfind(",\"read\":");
  if (at != std::string::npos) stream.replace(at, std::string::npos, "}\n");
  return stream;
}

std::string stream_of(LiveConversation& live) {
  std::string out;
  EXPECT_TRUE(live.append_stream(out));
  return out;
}

TEST(LiveConversation, EqualsAReplayAfterEveryEvent) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    LiveConversation live("s1");
    std::string session;
    for (const std::string& text : random_session(random, 30)) {
      session += text;
      ASSERT_TRUE(live.add_line(text));
      if (random.below(3) == 0) {
        ASSERT_EQ(stream_of(live), without_read(replay(session).stream)) << "seed " << seed << "\n" << session;
      }
    }
    ASSERT_EQ(stream_of(live), without_read(replay(session).stream)) << "seed " << seed << "\n" << session;
    EXPECT_EQ(live.digest().value_or(""), replay(session).end.digest);
    EXPECT_EQ(live.records().value_or(-1), replay(session).end.items);
  }
}

TEST(LiveConversation, GoesOnFromWhatWasReplayed) {
  const std::string output(30'000, 'x');
  const std::string before = user("t", "a") + call("t", "c1") + result("t", "c1", output) + user("t", "steering") +
                             call("t", "c2") + result("t", "c2", output);
  for (const std::string& next : {turn_end("t"), user("u", "b"), user("t", "more"), turn_end("t", "running"),
                                  assistant("t", "x"), checkpoint(3, "sum"), turn_end("other")}) {
    LiveConversation live("s1");
    ASSERT_TRUE(live.load(replay(before).stream));
    EXPECT_EQ(stream_of(live), without_read(replay(before).stream));
    ASSERT_TRUE(live.add_line(next));
    EXPECT_EQ(stream_of(live), without_read(replay(before + next).stream)) << next;
    ASSERT_TRUE(live.add_line(user("v", "c")));
    EXPECT_EQ(stream_of(live), without_read(replay(before + next + user("v", "c")).stream)) << next;
  }
}

// Wherever the reading of the file stopped, what was added since gives what a replay of the whole gives, or says that
// it cannot.
TEST(LiveConversation, GoesOnFromAnyCutOrSaysThatItCannot) {
  int followed = 0, reread = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    const auto lines = random_session(random, 24);
    const std::size_t cut = random.below(lines.size());
    std::string session;
    for (std::size_t i = 0; i < cut; ++i) session += lines[i];
    LiveConversation live("s1");
    ASSERT_TRUE(live.load(replay(session).stream));
    // As a new process does, an input of a new turn first.
    const std::string input = user("new", "go on");
    session += input;
    ASSERT_TRUE(live.add_line(input));
    for (std::size_t i = cut; i < lines.size(); ++i) {
      session += lines[i];
      ASSERT_TRUE(live.add_line(lines[i]));
    }
    if (live.must_reread()) {
      ++reread;
      continue;
    }
    ++followed;
    ASSERT_EQ(stream_of(live), without_read(replay(session).stream)) << "seed " << seed << " cut " << cut << "\n"
                                                                     << session;
  }
  EXPECT_GT(followed, 30);
  EXPECT_GT(reread, 30);
}

TEST(LiveConversation, ReadsAgainForWhatReachesBack) {
  const std::string before = user("t", "a") + call("t", "c1");
  const auto after = [&](const std::string& line) {
    LiveConversation live("s1");
    EXPECT_TRUE(live.load(replay(before).stream));
    EXPECT_FALSE(live.must_reread());
    EXPECT_TRUE(live.add_line(line));
    return live.must_reread();
  };
  EXPECT_TRUE(after(result("t", "c1", "late")));
  EXPECT_TRUE(after(call("t", "c2")));
  EXPECT_TRUE(after(line("tool_result_assessment", "1", R"({"result_id":"r","call_id":"c1"})")));
  EXPECT_FALSE(after(user("u", "b")));
  EXPECT_FALSE(after(checkpoint(1, "sum")));
}

TEST(LiveConversation, TakesPayloadsAsTheyAreStored) {
  LiveConversation live("s1");
  event::UserInput input;
  input.turn_id = "t";
  input.text = "hi \"you\"\n";
  input.expanded_text = "hi \xE2\x80\xA8 you";
  input.reasoning_selection.json = "{\"effort\":\"high\"}";
  input.parts.push_back({"image", "image/png", "00", "a.png", "", 3});
  event::AssistantOutput output;
  output.turn_id = "t";
  output.text = "I see";
  output.status = "completed";
  event::ToolCallEvent made;
  made.turn_id = "t";
  made.call_id = "c1";
  made.name = "read";
  made.arguments = "{\"path\":\"a\"}";
  event::ToolResultEvent got;
  got.turn_id = "t";
  got.call_id = "c1";
  got.result_id = "r1";
  got.status = "success";
  got.output = std::string(50'000, 'y');
  got.view = "shown";
  event::TurnStatus ended;
  ended.turn_id = "t";
  ended.status = "completed";
  std::string session;
  const auto store = [&](const auto& payload, std::string_view id) {
    session += event::session_line(event::Envelope{std::string(id), "2026-11-30T10:00:00.000Z", "s1", "/p"}, payload);
    ASSERT_TRUE(live.add(payload, id));
  };
  store(input, "1");
  store(output, "2");
  store(made, "3");
  store(got, "4");
  store(ended, "5");
  EXPECT_EQ(stream_of(live), without_read(replay(session).stream));
  EXPECT_EQ(complaint(stream_of(live)), "");
}

TEST(LiveConversation, ExtraRecordsAreSentAndNotKept) {
  LiveConversation live("s1");
  ASSERT_TRUE(live.add_line(user("t", "hi")));
  std::string extra, stream;
  event::append_record(extra, event::User{"Continue", "", "", "", {}});
  ASSERT_TRUE(live.append_stream(stream, extra, 1));
  EXPECT_EQ(complaint(stream), "");
  std::string undigested;
  ASSERT_TRUE(live.append_stream(undigested, extra, 1, StreamDigest::kNone));
  const std::size_t digest = stream.find(",\"digest\"");
  EXPECT_EQ(undigested, stream.substr(0, digest) + "}\n");
  EXPECT_NE(stream.find("Continue"), std::string::npos);
  EXPECT_EQ(stream_of(live), without_read(replay(user("t", "hi")).stream));
}

TEST(LiveConversation, RefusesWhatIsNoWholeStream) {
  const std::string stream = replay(user("t", "hi")).stream;
  const auto load = [](std::string text) { return LiveConversation("s1").load(text).has_value(); };
  EXPECT_TRUE(load(stream));
  EXPECT_FALSE(load(""));
  EXPECT_FALSE(load(stream.substr(0, stream.rfind("{\"type\":\"end\""))));
  EXPECT_FALSE(load(stream + stream));
  EXPECT_FALSE(load(stream.substr(stream.find('\n') + 1)));
}

TEST(LiveConversation, ABadLineIsAnErrorAndChangesNothing) {
  LiveConversation live("s1");
  ASSERT_TRUE(live.add_line(user("t", "hi")));
  EXPECT_FALSE(live.add_line("{"));
  EXPECT_FALSE(live.add_line(line("tool_call", "1", "{}")));
  EXPECT_EQ(stream_of(live), without_read(replay(user("t", "hi")).stream));
}

}  // namespace
}  // namespace magi::context::test
