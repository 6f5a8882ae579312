// What sessions are called (S9), and what is told of recoveries (P4).
#include "tools/magi-code/loop/title.h"

#include <gtest/gtest.h>

#include "libcommon/base/utf8.h"
#include "tools/magi-code/loop/recovery_note.h"

namespace magi::code {
namespace {

TEST(TitleTest, IsTheFirstLineThatSaysSomething) {
  EXPECT_EQ(title_of("fix the bug\nin x"), "fix the bug");
  EXPECT_EQ(title_of("\n \t\n  \"Mend   the\tparser\" \r\n"), "Mend the parser");
  EXPECT_EQ(title_of("**Title**"), "Title");
  EXPECT_EQ(title_of("a\x1b[31mb"), "a[31mb");
  EXPECT_EQ(title_of(""), "");
  EXPECT_EQ(title_of(" \n\"\"\n"), "");
  const std::string wide = title_of(std::string("é") + std::string(500, 'x'));
  EXPECT_EQ(utf8::count(wide), 80u);
  EXPECT_TRUE(wide.ends_with("…"));
  EXPECT_TRUE(utf8::is_valid(title_of("\xff\xfe broken \xc3")));
}

TEST(TitleTest, TheRequestHoldsABoundedPrompt) {
  const std::string stream = title_request(std::string(100'000, 'p') + "\xff");
  EXPECT_LT(stream.size(), 6'000u);
  EXPECT_NE(stream.find("\"max_output_tokens\""), std::string::npos);
}

std::string note(std::string_view attempts) {
  const auto told = recovery_note(event::Raw{std::string(attempts)}, "t");
  return told ? told->level + ": " + told->message : "silent";
}

TEST(RecoveryNoteTest, AFirstAttemptIsSilentARecoveryInformsAnotherModelWarns) {
  EXPECT_EQ(note(R"([{"number":1,"outcome":"completed","model":"m","reported_model":"m"}])"), "silent");
  EXPECT_EQ(note(R"([{"number":1,"outcome":"completed","model":"m","reported_model":"other"}])"), "silent");
  EXPECT_EQ(note(R"([{"number":1,"outcome":"rate_limit","model":"m"},{"number":2,"outcome":"completed","model":"m",
                      "reported_model":"m-2025-08-07"}])"),
            "info: the answer came with attempt 2, after: rate_limit");
  EXPECT_EQ(
      note(R"([{"number":1,"outcome":"server","model":"m","reported_model":"cheap"},{"number":2,"outcome":"server",
                      "model":"m"},{"number":3,"outcome":"completed","model":"m"}])"),
      "warning: the answer came with attempt 3, after: server; an attempt was answered by cheap instead of m");
  for (const char* text : {"", "{}", "[]", "[7]", "[{}]", "{"}) EXPECT_EQ(note(text), "silent") << text;
}

TEST(RecoveryNoteTest, VersionsAndPrefixesOfAModelAreTheModel) {
  EXPECT_FALSE(is_other_model("gpt-5", "gpt-5-2025-08-07"));
  EXPECT_FALSE(is_other_model("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"));
  EXPECT_FALSE(is_other_model("openai/gpt-5", "GPT-5"));
  EXPECT_FALSE(is_other_model("gpt-5-latest", "gpt-5"));
  EXPECT_FALSE(is_other_model("gpt-5", ""));
  EXPECT_TRUE(is_other_model("gpt-5", "gpt-5-mini"));
  EXPECT_TRUE(is_other_model("gpt-5", "gpt-50"));
  EXPECT_TRUE(is_other_model("gpt-5", "gpt-4"));
}

}  // namespace
}  // namespace magi::code
