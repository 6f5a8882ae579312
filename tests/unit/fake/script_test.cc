#include "tests/fake/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "tests/fake/render.h"

namespace magi::fake {
namespace {

using ::testing::HasSubstr;

class ScriptTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/magi-script-XXXXXX";
    ::close(::mkstemp(name));
    path_ = name;
  }
  void TearDown() override { ::unlink(path_.c_str()); }

  Result<Script> load(const std::string& text) {
    std::ofstream(path_) << text;
    return Script::load(path_);
  }
  static Report asked(std::uint32_t turns, std::uint32_t since_user) {
    Report report;
    report.assistant_turns = turns;
    report.since_user = since_user;
    report.tool_names = {"bash"};
    return report;
  }
  static std::string text(const Result<Script>& script, const Report& report, std::string_view body = "",
                          std::uint64_t n = 0) {
    const auto turn = script->turn_for({report, body}, n);
    return turn ? turn->text : "error: " + turn.error().what;
  }

  std::string path_;
};

TEST_F(ScriptTest, ChoosesTheTurnByTheHistory) {
  const auto script = load(R"({"turns":[{"text":"a"},{"text":"b{{i}}","repeat":2},{"text":"c"}]})");
  EXPECT_EQ(text(script, asked(0, 0)), "a");
  EXPECT_EQ(text(script, asked(2, 0)), "b2");
  EXPECT_EQ(text(script, asked(3, 0)), "c");
  EXPECT_EQ(text(script, asked(4, 0)), "done");
}

TEST_F(ScriptTest, CountsSinceTheUserOrByRequest) {
  EXPECT_EQ(text(load(R"({"index":"since_user","turns":[{"text":"a"},{"text":"b"}]})"), asked(7, 1)), "b");
  EXPECT_EQ(text(load(R"({"index":"request","turns":[{"text":"a"},{"text":"b"}]})"), asked(0, 0), "", 1), "b");
}

TEST_F(ScriptTest, KnowsSideRequests) {
  const auto script =
      load(R"({"turns":[{"text":"a"}],"when":[{"contains":"needle","text":"found"}],"no_tools":{"text":"t"}})");
  EXPECT_EQ(text(script, asked(0, 0), "hay needle hay"), "found");
  Report plain = asked(0, 0);
  plain.tool_names.clear();
  EXPECT_EQ(text(script, plain), "t");
}

TEST_F(ScriptTest, ResolvesCallsByTheToolsOffered) {
  const auto script = load(
      R"({"turns":[{"calls":[{"any":{"sh":{"c":1},"bash":{"command":"x {{i}}"}}},{"name":"f","arguments":"{\"a\":"}]}]})");
  const Report report = asked(0, 0);
  const auto turn = script->turn_for({report, ""}, 0);
  ASSERT_TRUE(turn.has_value());
  EXPECT_EQ(turn->calls[0].name, "bash");
  EXPECT_EQ(turn->calls[0].arguments, R"({"command":"x 0"})");
  EXPECT_EQ(turn->calls[0].id, "call_0_0");
  EXPECT_EQ(turn->calls[1].arguments, R"({"a":)");
}

TEST_F(ScriptTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(load(R"({"turn":[]})").error().what, HasSubstr("unknown key turn"));
  EXPECT_THAT(text(load(R"({"turns":[{"txt":"a"}]})"), asked(0, 0)), HasSubstr("unknown key txt"));
  EXPECT_THAT(text(load(R"({"turns":[{"fault":{"cut":1}}]})"), asked(0, 0)), HasSubstr("unknown key fault.cut"));
}

TEST_F(ScriptTest, GivesFaultsInOrderAndThenNoMore) {
  ASSERT_TRUE(load(R"({"turns":[{"text":"a","fault":[{"status":503,"times":2},{"status":429}]}]})").has_value());
  ScriptFile file(path_);
  const Report report = asked(0, 0);
  const auto status = [&] {
    const auto script = file.current();
    const auto turn = script->turn_for({report, ""}, 0);
    const auto fault = file.take_fault(*turn);
    return fault ? *fault->status : 200;
  };
  EXPECT_EQ(status(), 503);
  EXPECT_EQ(status(), 503);
  EXPECT_EQ(status(), 429);
  EXPECT_EQ(status(), 200);
}

TEST_F(ScriptTest, CutsTextAtCharacters) { EXPECT_THAT(pieces("añ🎉b", 2), ::testing::ElementsAre("añ", "🎉b")); }

}  // namespace
}  // namespace magi::fake
