#include "tools/magi-tool/glob.h"

#include <gtest/gtest.h>

namespace magi::toolbox {
namespace {

TEST(GlobMatch, FollowsGitsRules) {
  const struct {
    const char *pattern, *path;
    bool matches;
  } cases[] = {
      {"foo", "foo", true},
      {"foo", "bar", false},
      {"", "", true},
      {"???", "foo", true},
      {"??", "foo", false},
      {"*", "foo", true},
      {"f*", "foo", true},
      {"*f", "foo", false},
      {"*foo*", "foo", true},
      {"*ob*a*r*", "foobar", true},
      {"*ab", "aaaaaaabababab", true},
      {"foo\\*", "foo*", true},
      {"foo\\*bar", "foobar", false},
      {"f\\\\oo", "f\\oo", true},
      {"*[al]?", "ball", true},
      {"[ten]", "ten", false},
      {"t[a-g]n", "ten", true},
      {"t[!a-g]n", "ten", false},
      {"t[!a-g]n", "ton", true},
      {"t[^a-g]n", "ton", true},
      {"a[]]b", "a]b", true},
      {"a[]-]b", "a-b", true},
      {"a[]a-]b", "aab", true},
      {"]", "]", true},
      {"foo*bar", "foo/baz/bar", false},
      {"foo**bar", "foo/baz/bar", false},
      {"foo**bar", "foobazbar", true},
      {"foo/**/bar", "foo/baz/bar", true},
      {"foo/**/bar", "foo/bar", true},
      {"foo/**/**/bar", "foo/b/a/z/bar", true},
      {"foo?bar", "foo/bar", false},
      {"foo[/]bar", "foo/bar", false},
      {"f[^eiu][^eiu][^eiu][^eiu][^eiu]r", "foo/bar", false},
      {"**/foo", "foo", true},
      {"**/foo", "bar/baz/foo", true},
      {"*/foo", "bar/baz/foo", false},
      {"**/bar*", "foo/bar/baz", false},
      {"**/bar/*", "deep/foo/bar/baz", true},
      {"**/bar/*", "deep/foo/bar/baz/", false},
      {"**/bar/**", "deep/foo/bar/baz/", true},
      {"**/bar/**", "deep/foo/bar", false},
      {"*/bar/**", "foo/bar/baz/x", true},
      {"*/bar/**", "deep/foo/bar/baz/x", false},
      {"**/*a*b*g*n*t", "abcd/abcdefg/abcdefghijk/abcdefghijklmnop.txt", true},
      {"[[:alpha:]][[:digit:]][[:upper:]]", "a1B", true},
      {"[[:digit:][:upper:][:space:]]", "a", false},
      {"[a-c]b*", "abc", true},
      {"[", "[", false},
      {"-*-*-*-*-*-*-12-*-*-*-m-*-*-*", "-adobe-courier-bold-o-normal--12-120-75-75-m-70-iso8859-1", true},
      {"**", "a/b", true},
      {"a/**", "a", false},
      {"\\", "\\", true},
  };
  for (const auto& one : cases)
    EXPECT_EQ(glob_match(one.pattern, one.path), one.matches) << one.pattern << " " << one.path;
}

TEST(GlobMatch, StarsDoNotExplode) {
  std::string pattern, path(200, 'a');
  for (int i = 0; i < 40; ++i) pattern += "*a";
  EXPECT_TRUE(glob_match(pattern, path));
  EXPECT_FALSE(glob_match(pattern + "b", path));
}

TEST(Glob, ExpandsBracesAndMatchesNamesAnywhere) {
  EXPECT_TRUE(Glob("*.{h,cc}").matches("a/b/x.cc"));
  EXPECT_FALSE(Glob("*.{h,cc}").matches("a/b/x.c"));
  EXPECT_TRUE(Glob("{a,b{1,2}}.c").matches("b2.c"));
  EXPECT_TRUE(Glob("src/*.c").matches("src/x.c"));
  EXPECT_FALSE(Glob("src/*.c").matches("lib/src/x.c"));
  EXPECT_TRUE(Glob("./src/**/*.c").matches("src/a/b/x.c"));
  EXPECT_TRUE(Glob("/x").matches("x"));
  EXPECT_FALSE(Glob("/x").matches("a/x"));
  EXPECT_TRUE(Glob("{}").matches("{}"));
  EXPECT_TRUE(Glob("{a}").matches("{a}"));
}

}  // namespace
}  // namespace magi::toolbox
