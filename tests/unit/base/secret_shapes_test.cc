#include "libcommon/base/secret_shapes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace magi {
namespace {

// Joined here so that no file of ours holds what looks like a key.
std::string key(const char* prefix, std::size_t body, char fill = 'a') {
  std::string text = prefix;
  for (std::size_t i = 0; i < body; ++i) text += static_cast<char>(i % 3 == 0 ? fill : '0' + i % 10);
  return text;
}

std::string pem(const std::string& line_end) {
  const std::string label = "RSA PRIVATE KEY-----";
  return "-----BEGIN " + label + line_end + "MIIEpAIBAAKCAQEA" + line_end + "q83vEjRWeJq8==" + line_end + "-----END " +
         label;
}

std::string jwt() { return key("eyJ", 20) + "." + key("eyJ", 30) + "." + key("x", 40); }

std::vector<std::string> secrets() {
  return {key("sk-ant-", 40),  key("sk-ant-api03-", 90), key("sk-proj-", 60),
          key("sk-", 48),      key("ghp_", 36),          key("gho_", 36),
          key("ghs_", 36),     key("github_pat_", 82),   key("AKIA", 16, 'Q'),
          key("AIza", 35),     key("xoxb-", 24),         key("xoxp-", 24),
          key("glpat-", 20),   key("sk_live_", 24),      key("npm_", 36),
          key("hf_", 34),      key("sk-or-v1-", 64),     jwt(),
          pem("\n"),           key("whsec_", 32),        key("glrt-", 24),
          key("ya29.", 60),    key("GOCSPX-", 28),       key("hooks.slack.com/services/", 44, 'T'),
          key("pypi-AgE", 80), key("dckr_pat_", 27),     key("dop_v1_", 64),
          key("shpat_", 32),   key("SG.", 66),           key("xai-", 80),
          key("gsk_", 52),     key("pplx-", 48),         key("nvapi-", 64),
          key("r8_", 37),      key("tskey-", 40),        key("hvs.", 90),
          key("lin_api_", 40), key("ntn_", 46),          key("AGE-SECRET-KEY-1", 58, 'Q')};
}

void expect_only(const std::string& text, const std::string& secret) {
  const auto found = find_secret(text);
  ASSERT_TRUE(found) << text;
  EXPECT_EQ(text.substr(found->begin, found->size), secret);
  EXPECT_FALSE(find_secret(text, found->begin + found->size)) << text;
}

TEST(SecretShapes, AreFoundWholeWhereverTheyStand) {
  for (const std::string& secret : secrets())
    for (const std::string& before :
         {std::string(), std::string("key="), std::string("\"k\": \""), std::string(100, ' '), std::string("x\n")})
      for (const std::string& after :
           {std::string(), std::string("\""), std::string("\n"), std::string(" end"), std::string(100, ' ')})
        expect_only(before + secret + after, secret);
}

TEST(SecretShapes, AreFoundBehindEscapesOfJson) {
  for (const std::string& secret : secrets())
    for (const char* before : {R"(\n)", R"(\t)", R"(\u003d)", R"(x\r\n)"})
      expect_only(before + secret + R"(\n)", secret);
}

TEST(SecretShapes, PemInsideJsonTextLeavesTheTextValid) {
  const std::string escaped = pem("\\n");
  expect_only(R"({"content":"a\n)" + escaped + R"(\nb"})", escaped);
  // The end line is missing: what may be key material goes, quotes and their escapes stay.
  const std::string cut = escaped.substr(0, escaped.find("-----END"));
  expect_only("{\"content\":\"" + cut + "\"}", cut);
  const auto found = find_secret("{\"content\":\"" + cut + "\\\"\"}");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin + found->size, 12 + cut.size());
}

TEST(SecretShapes, AreNotFoundInWhatOnlyLooksAlike) {
  for (const std::string& text :
       {std::string("task-force-abcdefghijklmnopqrstuvwxyz0123456789"), std::string("sk-fading-circle sk-spinner"),
        std::string("risk-") + std::string(60, 'a'), std::string("AKIA"), "x" + key("AKIA", 16, 'Q'),
        key("AKIA", 17, 'Q'), key("ghp_", 10), std::string("github_pat_"), std::string("eyJhbGciOi.notjson.x"),
        key("eyJ", 400), std::string("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----"),
        std::string("-----BEGIN PUBLIC KEY-----"), std::string("sk-"), std::string("hf_"), std::string("xoxb-"),
        std::string("AIzaShort")})
    EXPECT_FALSE(find_secret(text)) << text;
}

TEST(SecretShapes, AValueThatItsNameGivesAwayIsFoundAlone) {
  const std::string value = key("", 40);
  for (const std::string& before :
       {std::string("aws_secret_access_key = "), std::string("AWS_SECRET_ACCESS_KEY="),
        std::string("\"SecretAccessKey\": \""), std::string("{\\\"SecretAccessKey\\\":\\\"")})
    expect_only(before + value + "\\\"", value);
  expect_only("AccountKey=" + key("", 86) + "==;EndpointSuffix=x", key("", 86) + "==");
  EXPECT_FALSE(find_secret("aws_secret_access_key = " + key("", 41)));
}

TEST(SecretShapes, OfAnAddressThePasswordIsFound) {
  const std::string scheme = "postgres://", host = "@db.example:5432/x";
  expect_only("DATABASE_URL=" + scheme + "app:Tr0ub4dor" + host, "Tr0ub4dor");
  expect_only(R"({"u":"redis:)" + std::string("//:") + R"(s3cretpass@10.0.0.1:6379"})", "s3cretpass");
  for (const std::string& text :
       {scheme + "user:password" + host, scheme + "user:12345678" + host, scheme + "user:${PASS1word}" + host,
        scheme + "host:5432/a@b", std::string("https://example.org/a:b1c2d3e4@x"), scheme + "u:aB3" + host})
    EXPECT_FALSE(find_secret(text)) << text;
}

TEST(SecretShapes, EveryPrefixOfATextIsSafeToSearch) {
  for (const std::string& secret : secrets())
    for (std::size_t size = 0; size <= secret.size(); ++size) {
      const std::string exact(secret.data(), size);  // of its own size, so that a sanitizer sees a read beyond
      static_cast<void>(find_secret(exact));
      static_cast<void>(find_secret(exact, size));
    }
}

TEST(SecretShapes, HostileTextTakesLinearTime) {
  for (const char* unit : {"-----BEGIN RSA PRIVATE KEY-----", "eyJ-eyJ_", "eyJaaaaaaaaa.", "sk-ant-", "sk-", "-", "\\",
                           "ghp_a", "://a:", "ecret_access_key=", "a://b:c@"}) {
    std::string text;
    while (text.size() < 2'000'000) text += unit;
    std::size_t at = 0, found = 0;
    while (const auto secret = find_secret(text, at)) {
      at = secret->begin + secret->size;
      ++found;
    }
    EXPECT_LE(found, text.size());
  }
}

}  // namespace
}  // namespace magi
