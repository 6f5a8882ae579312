#include "libcommon/base/known_secrets.h"

#include <gtest/gtest.h>

#include <string>

#include "libcommon/base/base64.h"

namespace magi {
namespace {

const std::string kValue = "Qz9~plain-looking+value/77";

class KnownSecrets : public testing::Test {
 protected:
  void SetUp() override { set_known_secrets({kValue, "short", "has\"quote-inside"}); }
  void TearDown() override { set_known_secrets({}); }
};

std::string found_in(const std::string& text) {
  const auto found = find_secret(text);
  return found ? text.substr(found->begin, found->size) : "";
}

TEST_F(KnownSecrets, AreFoundWhereverTheyStand) {
  for (std::size_t before = 0; before < 20; ++before)
    EXPECT_EQ(found_in(std::string(before, 'x') + kValue + "yy"), kValue) << before;
  EXPECT_EQ(found_in("a" + kValue.substr(0, kValue.size() - 1)), "");
  EXPECT_EQ(found_in("short has\"quote-inside"), "");
}

TEST_F(KnownSecrets, AreFoundInBase64AtAnyAlignment) {
  for (std::size_t before = 0; before < 6; ++before) {
    const std::string all = base64(std::string(before, 'u') + kValue + "tail");
    const std::string found = found_in(all);
    EXPECT_GE(found.size(), kValue.size() * 8 / 6 - 1) << all;
    std::string url = all;
    for (char& c : url) c = c == '+' ? '-' : c == '/' ? '_' : c;
    EXPECT_EQ(found_in(url).size(), found.size());
  }
}

TEST_F(KnownSecrets, AreFoundInWrappedBase64) {
  const std::string all = base64("0123456789" + kValue);
  for (const std::string& line_end : {std::string("\n"), std::string("\r\n"), std::string("\\n")}) {
    const std::string found = found_in(all.substr(0, 36) + line_end + all.substr(36));
    EXPECT_GE(found.size(), kValue.size() * 8 / 6) << line_end;
  }
}

TEST_F(KnownSecrets, AreFoundInHexadecimalAndBehindPercentSigns) {
  EXPECT_EQ(found_in("key=Qz9~plain-looking%2Bvalue%2F77&x"), "Qz9~plain-looking%2Bvalue%2F77");
  EXPECT_EQ(found_in("517a397e706c61696e2d6c6f6f6b696e672b76616c75652f3737").size(), kValue.size() * 2);
  EXPECT_EQ(found_in("517A397E706C61696E2D6C6F6F6B696E672B76616C75652F3737").size(), kValue.size() * 2);
}

TEST_F(KnownSecrets, OnesOfAKnownShapeAreTakenWhole) {
  const std::string key = std::string("sk-") + "ant-" + std::string(30, 'k') + "/rest";
  set_known_secrets({key});
  EXPECT_EQ(found_in("x " + key), key);
}

TEST_F(KnownSecrets, CanBeReplacedAndForgotten) {
  set_known_secrets({"another-value-1"});
  EXPECT_EQ(found_in(kValue), "");
  EXPECT_EQ(found_in("=another-value-1="), "another-value-1");
  EXPECT_TRUE(find_known_secret("=another-value-1="));
  EXPECT_FALSE(find_known_secret(std::string("gh") + "p_" + std::string(36, 'A')));
}

}  // namespace
}  // namespace magi
