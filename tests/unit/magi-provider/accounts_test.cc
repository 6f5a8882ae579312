// Encodings against published vectors, claims of hostile tokens, and what a turn remembers (P2, P3).
#include <gtest/gtest.h>

#include "tools/magi-provider/auth/encoding.h"
#include "tools/magi-provider/auth/login.h"
#include "tools/magi-provider/auth/token_claims.h"
#include "tools/magi-provider/auth/turn_cache.h"

namespace magi::provider {
namespace {

Body body_of(std::string text) {
  Body body;
  body.out() = std::move(text);
  return body;
}

TEST(EncodingTest, AgreesWithTheVectorsOfTheStandards) {
  EXPECT_EQ(base64url("f"), "Zg");  // RFC 4648, section 10
  EXPECT_EQ(base64url("fooba"), "Zm9vYmE");
  EXPECT_EQ(base64url("\xfb\xff"), "-_8");
  EXPECT_EQ(from_base64("-_8="), "\xfb\xff");
  EXPECT_EQ(from_base64("+/8"), "\xfb\xff");
  EXPECT_FALSE(from_base64("a") || from_base64("a b c") || from_base64("äbc"));
  // RFC 7636, appendix B.
  EXPECT_EQ(base64url(sha256_bytes("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  Hmac short_key("Jefe");  // RFC 4231, cases 2 and 6
  short_key.update("what do ya want ");
  short_key.update("for nothing?");
  EXPECT_EQ(short_key.hex(), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  Hmac long_key(std::string(131, '\xaa'));
  long_key.update("Test Using Larger Than Block-Size Key - Hash Key First");
  EXPECT_EQ(long_key.hex(), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(EncodingTest, QueriesAreReadAsFormsHaveThem) {
  EXPECT_EQ(percent_encoded("a b/ü~"), "a%20b%2F%C3%BC~");
  EXPECT_EQ(percent_decoded("a+b%2f%zz%4"), "a b/%zz%4");
  EXPECT_EQ(query_value("a=1&b=2%26&a=3", "a"), "1");
  EXPECT_EQ(query_value("a=1&b=2%26", "b"), "2&");
  EXPECT_EQ(query_value("a&b=", "a"), "");
  EXPECT_FALSE(query_value("", "a") || query_value("ab=1", "a"));
}

TEST(TokenClaimsTest, AreReadWhereTheyAreAndHarmlessElsewhere) {
  const auto token = [](std::string_view claims) { return "h." + base64url(claims) + ".s"; };
  const TokenClaims claims = read_claims(token(
      R"({"exp":1790000000,"https://api.openai.com/auth":{"chatgpt_account_id":"acct-1","chatgpt_plan_type":"pro"}})"));
  EXPECT_EQ(claims.account_id + " " + claims.plan, "acct-1 pro");
  EXPECT_EQ(claims.expires_at_s, 1790000000);
  const std::string hostile[] = {
      "",
      ".",
      "a.b",
      "h.%%%.s",
      token("[]"),
      token("{"),
      token(R"({"exp":"soon","https://api.openai.com/auth":7})"),
      token(R"({"exp":-5,"https://api.openai.com/auth":{"chatgpt_account_id":"a\r\nX: 1"}})"),
      token(R"({"https://api.openai.com/auth":{"chatgpt_account_id":")" + std::string(1000, 'a') + R"("}})"),
      "h." + std::string(200'000, 'A') + ".s"};
  for (const std::string& text : hostile) {
    const TokenClaims read = read_claims(text);
    EXPECT_TRUE(read.account_id.empty() && read.plan.empty() && read.expires_at_s == 0) << text.substr(0, 80);
  }
}

TEST(LoginTest, PastesAreAddressesPairsOrCodes) {
  const auto code = [](std::string_view line) { return code_of_paste(line, "st").value_or("refused"); };
  EXPECT_EQ(code("http://localhost:1455/auth/callback?code=c%2F1&state=st#x"), "c/1");
  EXPECT_EQ(code(" \"http://localhost:1455/auth/callback?state=st&code=c1\"\r\n"), "c1");
  EXPECT_EQ(code("c1#st"), "c1");
  EXPECT_EQ(code("c1#%73t"), "c1");
  EXPECT_EQ(code("c1"), "c1");
  for (const char* line : {"", "http://localhost/?code=c1&state=other", "http://localhost/?code=c1", "c1#other", "#st",
                           "http://localhost/?state=st", "two words"})
    EXPECT_EQ(code(line), "refused") << line;
}

TEST(TurnTest, KeepsTheFirstRoutingValueThatAHeaderCanHold) {
  Turn turn({"r", "t", "a"}, "salt");
  for (const std::string& bad : {std::string(), std::string("a b"), std::string("a\r\nX: 1"), std::string(5000, 'a')}) {
    turn.take_routing(bad);
    EXPECT_EQ(turn.routing(), "");
  }
  turn.take_routing("first");
  turn.take_routing("second");
  EXPECT_EQ(turn.routing(), "first");
}

TEST(TurnCacheTest, ANewTurnOrAnotherAccountInheritsNothing) {
  TurnCache cache;
  (*cache.enter({"r", "t1", "a"}))->take_routing("v");
  EXPECT_EQ((*cache.enter({"r", "t1", "a"}))->routing(), "v");
  (*cache.enter({"child", "t1", "a"}))->take_routing("w");
  EXPECT_EQ((*cache.enter({"r", "t1", "a"}))->routing(), "v");
  EXPECT_EQ((*cache.enter({"r", "t1", "b"}))->routing(), "");
  EXPECT_EQ((*cache.enter({"r", "t1", "a"}))->routing(), "") << "the account was left";
  (*cache.enter({"r", "t1", "a"}))->take_routing("v");
  EXPECT_EQ((*cache.enter({"r", "t2", "a"}))->routing(), "");
  EXPECT_EQ((*cache.enter({"r", "t1", "a"}))->routing(), "");
  EXPECT_EQ((*cache.enter({"child", "t1", "a"}))->routing(), "w");
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(cache.enter({"run" + std::to_string(i), "t", "a"}));
  EXPECT_EQ((*cache.enter({"child", "t1", "a"}))->routing(), "") << "the oldest goes";
}

TEST(TurnTest, TellsWhetherTheInputBeganWithThePreviousOne) {
  Turn turn({"r", "t", "a"}, "salt");
  const auto observe = [&](std::string_view input, std::string_view model = "m", std::string_view tools = "[]") {
    return *turn.observe(body_of(R"({"model":")" + std::string(model) + R"(","tools":)" + std::string(tools) +
                                 R"(,"instructions":"i","input":)" + std::string(input) + "}"));
  };
  const Fingerprints first = observe(R"([{"a":1}])");
  EXPECT_FALSE(first.input_prefix_preserved || first.configuration_preserved);
  EXPECT_EQ(first.input.size(), 64u);
  const Fingerprints again = observe(R"([{"a":1}])");
  EXPECT_EQ(again.input, first.input);
  EXPECT_EQ(again.input_prefix_preserved, true);
  EXPECT_EQ(again.configuration_preserved, true);
  EXPECT_EQ(observe(R"([{"a":1},{"b":2}])").input_prefix_preserved, true);
  EXPECT_EQ(observe(R"([{"a":1},{"b":2},{"c":3}])", "n").configuration_preserved, false);
  EXPECT_EQ(observe(R"([{"a":1},{"b":2},{"c":3}])", "n", R"([{}])").configuration_preserved, false);
  EXPECT_EQ(observe(R"([{"a":1},{"b":3},{"c":3},{"d":4}])", "n", R"([{}])").input_prefix_preserved, false);
  EXPECT_EQ(observe(R"([{"a":1}])", "n", R"([{}])").input_prefix_preserved, false) << "shorter than before";
  EXPECT_EQ(observe(R"([{"a":11}])", "n", R"([{}])").input_prefix_preserved, false) << "cut inside of an item";
  EXPECT_FALSE(turn.observe(body_of("[]")) || turn.observe(body_of("{")) || turn.observe(body_of("{}")));
}

TEST(TurnTest, FingerprintsOfTwoTurnsCannotBeCompared) {
  TurnCache cache;
  const Body body = body_of(R"({"input":[1]})");
  const Fingerprints first = *(*cache.enter({"r", "t1", "a"}))->observe(body);
  const Fingerprints second = *(*cache.enter({"r", "t2", "a"}))->observe(body);
  EXPECT_NE(first.input, second.input);
  EXPECT_NE(first.configuration, second.configuration);
  EXPECT_NE(first.instructions, first.tools) << "two texts that are both absent are told apart";
}

}  // namespace
}  // namespace magi::provider
