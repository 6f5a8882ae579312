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
  progress.saw_tool_progress();
  call.add_text("partial");
  call.add(event::ToolCall{});
  item.add(event::ProviderItem{});
  EXPECT_FALSE(nothing.is_recoverable());
  EXPECT_TRUE(text.is_recoverable());
  EXPECT_TRUE(progress.is_recoverable());
  EXPECT_FALSE(call.is_recoverable());
  EXPECT_FALSE(item.is_recoverable());
}

}  // namespace
}  // namespace magi::code
