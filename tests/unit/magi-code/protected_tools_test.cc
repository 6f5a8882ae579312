#include <gtest/gtest.h>

#include "tools/magi-code/loop/protection.h"

namespace magi::code {
namespace {

event::ToolCall call(std::string name, std::string arguments = "{}") {
  event::ToolCall made;
  made.name = std::move(name);
  made.arguments = std::move(arguments);
  return made;
}

TEST(ProtectedTools, DefaultsCoverWhatComesFromElsewhere) {
  const ProtectedTools tools(config::ProtectionSettings().tools, "/src/repo", {"/src/added"});
  for (const char* name : {"open", "bash", "bash_job", "mcp__server__tool"})
    EXPECT_TRUE(tools.cover(call(name))) << name;
  for (const char* name : {"write", "edit", "magi_control"}) EXPECT_FALSE(tools.cover(call(name))) << name;
  for (const char* inside : {R"({"path":"a.txt"})", R"({"path":"/src/repo/a"})", R"({"path":"/src/added/x/../y"})",
                             R"({"path":"sub/../a"})", R"({"paths":["a","b"]})", "{}", R"({"path":"/src/repo"})"})
    EXPECT_FALSE(tools.cover(call("read", inside))) << inside;
  for (const char* outside : {R"({"path":"../a"})", R"({"path":"/etc/passwd"})", R"({"path":"/src/repository/a"})",
                              R"({"path":"sub/../../a"})", R"({"paths":["a","/b"]})"})
    EXPECT_TRUE(tools.cover(call("read", outside))) << outside;
}

TEST(ProtectedTools, NamesAndClassesAreTakenAsListed) {
  const ProtectedTools some(" files , magi_control", "/r", {});
  EXPECT_TRUE(some.cover(call("grep", R"({"path":"a"})")));
  EXPECT_TRUE(some.cover(call("magi_control")));
  EXPECT_FALSE(some.cover(call("bash")));
  EXPECT_TRUE(ProtectedTools("all", "/r", {}).cover(call("write")));
  EXPECT_FALSE(ProtectedTools("", "/r", {}).cover(call("bash")));
}

}  // namespace
}  // namespace magi::code
