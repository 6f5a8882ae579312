#include "libcommon/config/provider_choice.h"

#include <gtest/gtest.h>

namespace magi::config {
namespace {

// "id api url model key_env", or the first line of the error.
std::string chosen(const Settings& settings, const Environment& environment, const ProviderWish& wish = {}) {
  const auto choice = choose_provider(settings, environment, wish);
  if (!choice) {
    EXPECT_EQ(exit_status(choice.error().code), kExitUsage);
    return choice.error().what.substr(0, choice.error().what.find('\n'));
  }
  const char* const apis[] = {"responses", "messages", "chat", "scripted"};
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
  EXPECT_EQ(chosen({}, kBothKeys, {"openai-codex", "", ""}).substr(0, 45),
            "provider 'openai-codex' needs a login, which ");
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
