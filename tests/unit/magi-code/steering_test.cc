#include "tools/magi-code/loop/steering.h"

#include <gtest/gtest.h>

namespace magi::code {
namespace {

UserPrompt prompt(const std::string& text, const std::string& id) { return {text, {}, "steering", {}, id}; }

TEST(SteeringQueue, IsTakenInOrderAndRestoredInOrder) {
  SteeringQueue queue;
  queue.push(prompt("a", "1"));
  queue.push(prompt("b", "2"));
  auto taken = queue.take();
  EXPECT_TRUE(queue.empty());
  queue.push(prompt("c", "3"));
  queue.restore(std::move(taken));
  const auto all = queue.take();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].text + all[1].text + all[2].text, "abc");
}

TEST(SteeringQueue, RecallsByActionOrTheNewest) {
  SteeringQueue queue;
  queue.push(prompt("a", "1"));
  queue.push(prompt("b", "2"));
  queue.push(prompt("c", "3"));
  EXPECT_EQ(queue.recall("2")->text, "b");
  EXPECT_FALSE(queue.recall("2").has_value());
  EXPECT_EQ(queue.recall("")->text, "c");
  EXPECT_EQ(queue.take().size(), 1u);
}

}  // namespace
}  // namespace magi::code
