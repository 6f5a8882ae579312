#include "tools/magi-assess/fold.h"

#include <gtest/gtest.h>

#include <string>

namespace magi::assess {
namespace {

std::string folded(std::string_view text) { return fold(text).text; }

TEST(Fold, ReadsThroughDisguises) {
  EXPECT_EQ(folded("IGNORE  All\t previous"), "ignore all previous");
  EXPECT_EQ(folded("\uFF29\uFF27\uFF4E"), "ign");
  EXPECT_EQ(folded("\u0456gn\u043Er\u0435"), "ignore");
  EXPECT_EQ(folded("1gn0re pr3vious"), "ignore previous");
  EXPECT_EQ(folded("i g n o r e it"), "ignore it");
  EXPECT_EQ(folded("i.g.n.o.r.e it"), "ignore it");
  EXPECT_EQ(folded("ig\u200Bno\u00ADre"), "ignore");
  EXPECT_EQ(folded("Pr\u00E9c\u00E9dentes"), "precedentes");
}

TEST(Fold, LeavesWhatIsNoDisguise) {
  EXPECT_EQ(folded("sha256 x86 v1"), "sha256 x86 v1");
  EXPECT_EQ(folded("\u0438\u0433\u043D\u043E\u0440\u0438\u0440\u0443\u0439"),
            "\u0438\u0433\u043D\u043E\u0440\u0438\u0440\u0443\u0438");
  EXPECT_EQ(folded("a b"), "a b");
  EXPECT_EQ(folded("line\n\nline"), "line\n\nline");
}

TEST(Fold, TagCharactersSpellWhatTheyHide) {
  const Folded text = fold("ok\U000E0061\U000E0062");
  EXPECT_EQ(text.text, "okab");
  EXPECT_EQ(text.invisible.size(), 2u);
}

TEST(Fold, EachByteKnowsWhereItCameFrom) {
  for (const std::string& source : {std::string("A\u00E9 b"), std::string("\xff\xfe x"),
                                    std::string("i g n o r e\u0456s"), std::string("\u200B\u202Ea"), std::string()}) {
    const Folded text = fold(source);
    ASSERT_EQ(text.origin.size(), text.text.size() + 1);
    for (std::size_t i = 1; i < text.origin.size(); ++i) EXPECT_LE(text.origin[i - 1], text.origin[i]) << source;
    EXPECT_EQ(text.origin.back(), source.size());
  }
}

}  // namespace
}  // namespace magi::assess
