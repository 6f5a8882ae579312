#include "libcommon/config/provider_choice.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/unit/scratch.h"

namespace magi::config {
namespace {

// "id api url model key_env", or the first line of the error.
std::string chosen(const Settings& settings, const Environment& environment, const ProviderWish& wish = {},
                   const std::string& auth_file = {}) {
  const auto choice = choose_provider(settings, environment, wish, auth_file);
  if (!choice) {
    EXPECT_EQ(exit_status(choice.error().code), kExitUsage);
    return choice.error().what.substr(0, choice.error().what.find('\n'));
  }
  const char* const apis[] = {"responses", "messages", "chat", "scripted", "claude"};
  return choice->id + " " + apis[static_cast<int>(choice->api)] + " " + choice->base_url + " " + choice->model + " " +
         choice->key_env;
}

const Environment kBothKeys({"OPENAI_API_KEY=o", "ANTHROPIC_API_KEY=a"});

TEST(ProviderChoiceTest, TheKeysThatAreThereDecideInTheOrderOfTheContract) {
  EXPECT_EQ(chosen({}, kBothKeys).substr(0, 52), "anthropic messages https://api.anthropic.com claude-");
  EXPECT_EQ(chosen({}, Environment({"OPENAI_API_KEY=o"})).substr(0, 46),
            "openai responses https://api.openai.com/v1 gpt");
  EXPECT_EQ(chosen({}, Environment({"MC_API_KEY=m"})), "no model to talk to: no provider is set and no key was found");
}

TEST(ProviderChoiceTest, SettingsComeBeforeKeysAndTheCommandLineBeforeBoth) {
  Settings settings;
  settings.provider = "box";
  settings.model = "m";
  settings.providers["box"].base_url = "http://127.0.0.1:8080/v1";
  EXPECT_EQ(chosen(settings, kBothKeys), "box chat http://127.0.0.1:8080/v1 m ");
  EXPECT_EQ(chosen(settings, kBothKeys, {"openai", "n", ""}),
            "openai responses https://api.openai.com/v1 n OPENAI_API_KEY");
  EXPECT_EQ(chosen(settings, kBothKeys, {"", "n", "http://h/v1/"}), "openai-compatible chat http://h/v1 n MC_API_KEY");
}

TEST(ProviderChoiceTest, WhatCannotWorkSaysWhy) {
  EXPECT_EQ(chosen({}, Environment(), {"openai", "", ""}), "no key for provider 'openai': OPENAI_API_KEY is not set");
  EXPECT_EQ(chosen({}, kBothKeys, {"nobody", "", ""}),
            "unknown provider 'nobody': neither built in nor defined in settings (providers.nobody)");
  EXPECT_EQ(
      chosen({}, kBothKeys, {"openai-compatible", "", ""}),
      "provider 'openai-compatible' has no address: give --base-url, or set providers.openai-compatible.base_url");
  EXPECT_EQ(chosen({}, kBothKeys, {"claude-subscription", "", ""}),
            "provider 'claude-subscription' needs an installed claude: there is none in PATH");
}

class LoginTest : public ::testing::Test {
 protected:
  LoginTest() { ::chmod(scratch_.path().c_str(), 0700); }
  void write(const std::string& text, mode_t mode = 0600) {
    std::ofstream(auth_) << text;
    ::chmod(auth_.c_str(), mode);
  }
  test::Scratch scratch_;
  const std::string auth_ = scratch_.path() + "/auth.json";
};

TEST_F(LoginTest, ALoginComesBeforeKeysAndAnInstalledClaudeBehindThem) {
  EXPECT_EQ(chosen({}, kBothKeys, {}, auth_).substr(0, 9), "anthropic");
  EXPECT_EQ(chosen({}, kBothKeys, {"openai-codex", "", ""}, auth_),
            "provider 'openai-codex' needs a login: nobody is logged in");
  write(R"({"openai-codex":{"access_token":"a"}})");
  EXPECT_EQ(chosen({}, kBothKeys, {}, auth_),
            "openai-codex responses https://chatgpt.com/backend-api/codex gpt-5-codex ");
  std::ofstream(scratch_.path() + "/claude") << "#!/bin/sh\n";
  ::chmod((scratch_.path() + "/claude").c_str(), 0755);
  EXPECT_EQ(chosen({}, Environment({"PATH=" + scratch_.path()})), "claude-subscription claude  sonnet ");
  EXPECT_EQ(chosen({}, Environment({"PATH=" + scratch_.path(), "OPENAI_API_KEY=o"})).substr(0, 7), "openai ");
}

TEST_F(LoginTest, AFileThatOthersCanReadOrThatIsNoJsonIsNoLogin) {
  write(R"({"openai-codex":{"access_token":"a"}})", 0644);
  EXPECT_EQ(chosen({}, kBothKeys, {}, auth_).substr(0, 9), "anthropic");
  EXPECT_NE(chosen({}, kBothKeys, {"openai-codex", "", ""}, auth_).find("auth.json"), std::string::npos);
  for (const char* text : {"", "{", "[]", "7", R"({"openai-codex":7})", R"({"openai-codex":{"access_token":7}})"}) {
    write(text);
    EXPECT_FALSE(has_login(auth_, "openai-codex").value_or(false)) << text;
  }
}

TEST(ProviderChoiceTest, ALocalServerNeedsNoKey) {
  EXPECT_EQ(chosen({}, Environment(), {"", "", "http://127.0.0.1:11434/v1"}),
            "openai-compatible chat http://127.0.0.1:11434/v1  MC_API_KEY");
  EXPECT_TRUE(is_loopback_url("http://127.0.0.1:1/v1") && is_loopback_url("http://localhost") &&
              is_loopback_url("http://[::1]:8/x"));
  EXPECT_FALSE(is_loopback_url("http://127.0.0.1.example/") || is_loopback_url("http://example/?127.0.0.1") ||
               is_loopback_url("localhost"));
}

}  // namespace
}  // namespace magi::config
