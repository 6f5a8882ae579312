#include "libcommon/session/known_keys.h"

#include <gtest/gtest.h>

#include <fstream>

#include "libcommon/base/known_secrets.h"
#include "tests/unit/scratch.h"

namespace magi::session {
namespace {

TEST(KnownKeys, AreThoseOfTheEnvironmentAndOfLogins) {
  const test::Scratch scratch;
  std::ofstream(scratch / "auth.json") << R"({"openai-codex":{"access_token":"acc-0123456789","account_id":"acct-11",)"
                                           << R"("refresh_token":"ref-9876543210","plan":"plus1234"}})";
  learn_known_keys(Home(scratch.path()), config::Environment({"OPENAI_API_KEY=key-of-openai-1", "LAB=key-of-lab-22",
                                                              "PATH=/usr/bin:/bin:/x1", "MY_PASSWORD=password",
                                                              "DB_PASSWORD=Tr0ubadour-9", "X_TOKEN=/run/secrets/t1"}),
                   {"LAB"});
  for (const char* secret : {"acc-0123456789", "ref-9876543210", "key-of-openai-1", "key-of-lab-22", "Tr0ubadour-9"})
    EXPECT_TRUE(find_secret(std::string("x=") + secret)) << secret;
  for (const char* text : {"/usr/bin:/bin:/x1", "password", "/run/secrets/t1", "acct-11", "plus1234"})
    EXPECT_FALSE(find_secret(text)) << text;
  set_known_secrets({});
}

TEST(KnownKeys, AHomeThatCannotBeReadAddsNothing) {
  const test::Scratch scratch;
  learn_known_keys(Home(scratch / "none"), config::Environment({"A_TOKEN=value-12345"}));
  EXPECT_TRUE(find_secret("value-12345"));
  std::ofstream(scratch / "auth.json") << "not json";
  learn_known_keys(Home(scratch.path()), config::Environment());
  EXPECT_FALSE(find_secret("value-12345"));
}

}  // namespace
}  // namespace magi::session
