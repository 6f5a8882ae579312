#include "tools/magi-tool/shell_environment.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace magi::toolbox {
namespace {

bool has(const std::vector<std::string>& list, const std::string& entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

TEST(ShellEnvironment, KeepsTheUsersAndDropsSecrets) {
  const config::Environment environment({"PATH=/bin", "HOME=/h", "LANG=C", "OPENAI_API_KEY=k", "ANTHROPIC_API_KEY=k",
                                         "MC_API_KEY=k", "GH_TOKEN=k", "AWS_SECRET_ACCESS_KEY=k", "DB_PASSWORD=k",
                                         "LOCAL_LLM=k", "NOTE=sk-ant-api03-" + std::string(95, 'a'), "BASH_ENV=/x",
                                         "EDITOR=vim", "KEYBOARD=us", "not an entry"});
  const auto out = shell_environment(environment, {"LOCAL_LLM"}, "");
  for (const char* kept :
       {"PATH=/bin", "HOME=/h", "LANG=C", "KEYBOARD=us", "EDITOR=true", "PAGER=cat", "GIT_TERMINAL_PROMPT=0"})
    EXPECT_TRUE(has(out, kept)) << kept;
  for (const std::string& entry : out) {
    EXPECT_FALSE(entry.ends_with("=k")) << entry;
    EXPECT_EQ(entry.find("sk-ant"), std::string::npos);
    EXPECT_FALSE(entry.starts_with("BASH_ENV"));
    EXPECT_NE(entry, "EDITOR=vim");
  }
}

TEST(ShellEnvironment, APrivateFolderHoldsCaches) {
  const config::Environment environment({"TMPDIR=/old", "XDG_CACHE_HOME=/old"});
  const auto out = shell_environment(environment, {}, "/t");
  EXPECT_TRUE(has(out, "TMPDIR=/t"));
  EXPECT_TRUE(has(out, "XDG_CACHE_HOME=/t/cache"));
  EXPECT_FALSE(has(out, "TMPDIR=/old"));
}

}  // namespace
}  // namespace magi::toolbox
