#include "libcommon/config/environment.h"

#include <gtest/gtest.h>

namespace magi::config {
namespace {

TEST(EnvironmentTest, ClearedIsUnset) {
  const Environment environment({"A=", "B=x=y", "AB=1", "B=second", "NOVALUE"});
  EXPECT_EQ(environment.get("A"), std::nullopt);
  EXPECT_EQ(environment.get("B"), "x=y");
  EXPECT_EQ(environment.get("AB"), "1");
  EXPECT_EQ(environment.get("NOVALUE"), std::nullopt);
  EXPECT_EQ(environment.get_or("C", "standard"), "standard");
  EXPECT_EQ(environment.entries_without({"B", "A"}), (std::vector<std::string>{"AB=1", "NOVALUE"}));
}

TEST(EnvironmentTest, StateHomeTakesTheFirstThatIsSet) {
  const Environment environment({"HOME=/users/u/", "MC_HOME=/mc"});
  EXPECT_EQ(*environment.state_home("/option///"), "/option");
  EXPECT_EQ(*environment.state_home(std::nullopt), "/mc");
  EXPECT_EQ(*Environment({"HOME=/users/u/", "MC_HOME="}).state_home(std::nullopt), "/users/u/.magi-code");
  EXPECT_EQ(*Environment({"HOME=/"}).state_home(std::nullopt), "/.magi-code");
}

TEST(EnvironmentTest, CLI_12_WhatCannotBeUsedIsAnErrorThatNamesIt) {
  const auto refusal = [](const Environment& environment, const std::optional<std::string>& option = {}) {
    const auto home = environment.state_home(option);
    return home ? "accepted " + *home : std::to_string(exit_status(home.error().code)) + " " + home.error().what;
  };
  EXPECT_EQ(refusal(Environment()), "2 no home directory: set HOME or MC_HOME, or use --home DIR");
  EXPECT_EQ(refusal(Environment({"MC_HOME=here", "HOME=/h"})), "2 MC_HOME: 'here' is not an absolute path");
  EXPECT_EQ(refusal(Environment({"HOME=~"})), "2 HOME: '~' is not an absolute path");
  EXPECT_EQ(refusal(Environment({"HOME=/h"}), "x"), "2 --home: 'x' is not an absolute path");
}

}  // namespace
}  // namespace magi::config
