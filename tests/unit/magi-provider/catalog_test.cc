// What is kept of lists that servers write (P5).
#include "tools/magi-provider/catalog/catalog.h"

#include <gtest/gtest.h>

#include <random>

#include "libcommon/json/node.h"

namespace magi::provider {
namespace {

std::string kept(std::string_view body) {
  const auto models = read_models(body);
  return models ? catalog_json(sanitised(*models)) : "refused";
}

TEST(CatalogTest, HasIdsNamesAndLimitsAndNothingElse) {
  EXPECT_EQ(kept(R"({"data":[{"id":"m1","display_name":"Model 1","context_window":400000,"max_output_tokens":8,
                     "api_key":"sk-secret","owned_by":"org-1","headers":{"authorization":"Bearer x"}}]})"),
            "{\"models\":[{\"id\":\"m1\",\"display_name\":\"Model 1\",\"context_window\":400000,"
            "\"max_output_tokens\":8}]}\n");
  EXPECT_EQ(kept(R"({"models":[{"slug":"gpt-5-codex","context_window":272000,"visibility":"list"}]})"),
            "{\"models\":[{\"id\":\"gpt-5-codex\",\"context_window\":272000}]}\n");
  EXPECT_EQ(kept(R"({"data":[{"id":"claude","max_input_tokens":200000}]})"),
            "{\"models\":[{\"id\":\"claude\",\"context_window\":200000,\"max_input_tokens\":200000}]}\n");
}

TEST(CatalogTest, HostileListsAreBoundedAndCleaned) {
  EXPECT_EQ(kept(R"([{"id":""},{"id":7},{"id":"a b"},{"id":"a\nb"},{"id":"\u001b[31m"},{"id":"sk-ant-api03-)" +
                 std::string(95, 'a') + R"("},{"id":"ok","display_name":"x\u0007y","context_window":-4},{"id":"ok"}])"),
            "{\"models\":[{\"id\":\"ok\"}]}\n");
  EXPECT_EQ(kept(R"([{"id":"a","context_window":9999999999999},{"id":")" + std::string(300, 'b') + R"("}])"),
            "{\"models\":[{\"id\":\"a\"}]}\n");
  std::string many = "[";
  for (int i = 0; i < 5000; ++i) many += (i ? "," : "") + ("{\"id\":\"m" + std::to_string(i)) + "\"}";
  const auto models = read_models(many + "]");
  ASSERT_TRUE(models);
  EXPECT_EQ(sanitised(*models).size(), 2000u);
  const auto long_name = sanitised({{"m", std::string(1000, 'x') + "é", {}, {}, {}}});
  EXPECT_EQ(long_name[0].display_name.size(), 100u);
}

TEST(CatalogTest, AnyBytesGiveAListOrAnError) {
  std::mt19937 random(5);
  const std::string seed = R"({"data":[{"id":"m1","display_name":"M","context_window":4,"max_input_tokens":3}]})";
  for (int round = 0; round < 20'000; ++round) {
    std::string text = seed;
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits)
      text[random() % text.size()] = static_cast<char>(random());
    const std::string json = kept(text);
    json::Parser parser;
    ASSERT_TRUE(json == "refused" || parser.parse(json)) << text;
  }
}

}  // namespace
}  // namespace magi::provider
