#include "tools/magi-provider/wire_names.h"

#include <gtest/gtest.h>

namespace magi::provider {
namespace {

TEST(WireNames, LegalOnesStay) {
  EXPECT_EQ(legal_id("call_a|fc.b:0", {}), "call_a|fc.b:0");
  EXPECT_EQ(legal_id("toolu_01-A", {64, false, false}), "toolu_01-A");
  EXPECT_EQ(legal_id("abcdefgh1", {40, true, true}), "abcdefgh1");
  EXPECT_EQ(legal_tool_name("mcp__a__b-c"), "mcp__a__b-c");
}

TEST(WireNames, IllegalOnesChangeAlwaysAlikeAndStayDifferent) {
  const IdRules words{64, false, false};
  EXPECT_EQ(legal_id("a:b", words), legal_id("a:b", words));
  EXPECT_NE(legal_id("a:b", words), legal_id("a.b", words));
  EXPECT_EQ(legal_id("a:b", words).substr(0, 4), "a_b_");
  EXPECT_EQ(legal_id("", words).size(), 9u);
  EXPECT_EQ(legal_id("a\"b", {}).find('"'), std::string::npos);
  EXPECT_EQ(legal_id(std::string(99, 'x'), {40, true, false}).size(), 40u);
  EXPECT_EQ(legal_id("anything", {40, true, true}).size(), 9u);
  EXPECT_EQ(legal_tool_name(std::string(65, 'x')).size(), 64u);
  EXPECT_EQ(legal_tool_name("read file").substr(0, 10), "read_file_");
}

}  // namespace
}  // namespace magi::provider
