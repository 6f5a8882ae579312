#include "tools/magi-code/loop/answer.h"

#include <gtest/gtest.h>

namespace magi::code {
namespace {

TEST(Answer, JoinsDeltasAndKeepsOrder) {
  Answer answer;
  answer.add_text("a");
  answer.add_text("b");
  answer.add(event::ToolCall{});
  answer.add_text("c");
  ASSERT_EQ(answer.segments().size(), 3u);
  EXPECT_EQ(std::get<TextSegment>(answer.segments()[0]).text, "ab");
  EXPECT_EQ(answer.text(), "abc");
  EXPECT_EQ(answer.calls().size(), 1u);
}

TEST(Answer, OnlyTextOrParsedProgressIsRecoverable) {
  Answer nothing, text, progress, call, item;
  text.add_text("partial");
  progress.saw_tool_progress("a", "write");
  call.add_text("partial");
  call.add(event::ToolCall{});
  item.add(event::ProviderItem{});
  EXPECT_FALSE(nothing.is_recoverable());
  EXPECT_TRUE(text.is_recoverable());
  EXPECT_TRUE(progress.is_recoverable());
  EXPECT_FALSE(call.is_recoverable());
  EXPECT_FALSE(item.is_recoverable());
}

// R16: what rules a continuation out are completed calls and items of a response, not what the model thought.
TEST(Answer, ReasoningItemsDoNotForbidAContinuation) {
  for (const char* type : {"reasoning", "thinking", "redacted_thinking", "assistant_fields"}) {
    Answer answer;
    answer.add(event::ProviderItem{{}, "openai", {R"({"type":")" + std::string(type) + "\"}"}});
    EXPECT_TRUE(answer.is_recoverable()) << type;
    answer.add_text("partial");
    EXPECT_TRUE(answer.is_recoverable()) << type;
    answer.add(event::ProviderItem{{}, "openai", {R"({"type":"web_search_call"})"}});
    EXPECT_FALSE(answer.is_recoverable()) << type;
  }
}

TEST(Answer, CallsThatNeverCameWholeAreCut) {
  Answer answer;
  answer.saw_tool_progress("a", "read");
  answer.saw_tool_progress("b", "write");
  answer.saw_whole_call("a");
  ASSERT_EQ(answer.cut_calls().size(), 1u);
  EXPECT_EQ(answer.cut_calls()[0].call_id, "b");
  EXPECT_EQ(answer.cut_calls()[0].name, "write");
  EXPECT_EQ(answer.cut_calls()[0].arguments, "{}");
}

}  // namespace
}  // namespace magi::code
