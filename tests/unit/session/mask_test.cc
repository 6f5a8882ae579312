#include "libcommon/session/mask.h"
#include "libcommon/base/known_secrets.h"

#include <gtest/gtest.h>

#include "libcommon/event/session_event.h"
#include "libcommon/json/node.h"
#include "libcommon/session/mask_fields.h"

namespace magi::session {
namespace {

std::string github_token() { return "ghp" + std::string("_") + std::string(36, 'A'); }
std::string anthropic_key() { return "sk-" + std::string("ant-api03-") + std::string(40, 'b'); }

TEST(MaskSecrets, ReplacesEachAndCounts) {
  std::string text = "a=" + github_token() + " b=" + anthropic_key() + ".";
  EXPECT_EQ(mask_secrets(text), 2u);
  EXPECT_EQ(text, "a=[masked secret: GitHub token] b=[masked secret: Anthropic key].");
  EXPECT_TRUE(holds_mask(text));
  EXPECT_EQ(mask_secrets(text), 0u) << "a mask is no secret";
  std::string plain = "nothing here";
  EXPECT_EQ(mask_secrets(plain), 0u);
  EXPECT_EQ(plain, "nothing here");
  EXPECT_FALSE(holds_mask(plain));
}

TEST(MaskSecrets, LeavesJsonTextValid) {
  const std::string pem = std::string("-----BEGIN ") + "PRIVATE KEY-----\\nMIIE\\n-----END " + "PRIVATE KEY-----";
  std::string json =
      R"({"content":"x\n)" + github_token() + R"(\n","key":")" + pem + R"(","cut":")" + pem.substr(0, 40) + R"(\"q"})";
  EXPECT_EQ(mask_secrets(json), 3u);
  json::Parser parser;
  const auto root = parser.parse(json);
  ASSERT_TRUE(root) << json;
  EXPECT_EQ(root->find("content").as_string(), "x\n[masked secret: GitHub token]\n");
  EXPECT_EQ(root->find("key").as_string(), "[masked secret: private key]");
}

TEST(MaskCutEnd, MasksWhatMayBeTheBeginningOfASecret) {
  set_known_secrets({"kq7-known-value-0123"});
  for (const std::string& begun : {github_token().substr(0, 12), anthropic_key().substr(0, 9), github_token(),
                                   std::string("kq7-known-v"), std::string("AK") + "IAQW"}) {
    std::string text = "the key is " + begun;
    EXPECT_TRUE(mask_cut_end(text)) << begun;
    EXPECT_EQ(text, "the key is [masked secret: cut off]") << begun;
  }
  std::string masked = "x " + github_token();
  mask_secrets(masked);
  EXPECT_TRUE(mask_cut_end(masked)) << "it may have been longer";
  EXPECT_EQ(masked, "x [masked secret: GitHub token]");
  for (const char* plain : {"the answer is", "a task", "see [1]", "", "sk", "kq7-k"}) {
    std::string text = plain;
    EXPECT_FALSE(mask_cut_end(text)) << plain;
    EXPECT_EQ(text, plain);
  }
  set_known_secrets({});
}

TEST(MaskCutStart, MasksUpToWhatNoKeyHas) {
  std::string text = "Qw12-rest_of, and so on";
  mask_cut_start(text);
  EXPECT_EQ(text, "[masked secret: rest of one], and so on");
  std::string other = " begins anew";
  mask_cut_start(other);
  EXPECT_EQ(other, " begins anew");
}

TEST(MaskFields, CoversEveryTextAndLeavesIdentifiersAlone) {
  event::ToolResultEvent result;
  result.turn_id = result.call_id = result.result_id = github_token();
  result.status = "success";
  result.output = "token " + github_token() + "\xff";
  result.view = github_token();
  result.details.json = "{\"stdout\":\"" + anthropic_key() + "\"}";
  event::Part part;
  part.type = "image";
  part.data = github_token();
  result.parts = {part};
  EXPECT_EQ(mask_fields(result), 2u) << "output and view hold the same one";
  EXPECT_EQ(result.call_id, github_token());
  EXPECT_EQ(result.output, "token [masked secret: GitHub token]\uFFFD");
  EXPECT_EQ(result.view, "[masked secret: GitHub token]");
  EXPECT_EQ(result.details.json, R"({"stdout":"[masked secret: Anthropic key]"})");
  EXPECT_EQ(result.parts[0].data, github_token());
  EXPECT_EQ(result.masked_secrets, 2);
}

TEST(MaskFields, LeavesOpaqueProviderItemsAsTheyAre) {
  event::ProviderResponseItem item;
  item.turn_id = "t";
  item.provider = "openai";
  item.item.json = "{\"encrypted_content\":\"" + github_token() + "\"}";
  const std::string before = item.item.json;
  EXPECT_EQ(mask_fields(item), 0u);
  EXPECT_EQ(item.item.json, before);
}

TEST(MaskFields, CountsASecretOnceHoweverItIsSpelled) {
  const std::string label = "PRIVATE KEY-----";
  event::ToolResultEvent result;
  result.output = "-----BEGIN " + label + "\nMIIEpAIBAAKC\n-----END " + label;
  result.details.json = R"({"stdout":"-----BEGIN )" + label + R"(\nMIIEpAIBAAKC\n-----END )" + label + R"("})";
  EXPECT_EQ(mask_fields(result), 1u);
  EXPECT_EQ(result.details.json, R"({"stdout":"[masked secret: private key]"})");
}

TEST(MaskFields, MasksItemsThatNobodyHasSigned) {
  event::ProviderResponseItem item;
  item.provider = "openai-compatible";
  item.item.json = "{\"reasoning_content\":\"I see " + github_token() + "\"}";
  EXPECT_EQ(mask_fields(item), 1u);
  EXPECT_EQ(item.item.json, R"({"reasoning_content":"I see [masked secret: GitHub token]"})");
}

TEST(MaskFields, TakesKnownKeysOutOfOpaqueItemsToo) {
  set_known_secrets({"kq7-known-value-0123"});
  event::ProviderResponseItem item;
  item.provider = "openai";
  item.item.json = R"({"summary":"the key is kq7-known-value-0123"})";
  EXPECT_EQ(mask_fields(item), 1u);
  EXPECT_EQ(item.item.json, R"({"summary":"the key is [masked secret: known key]"})");
  set_known_secrets({});
}

TEST(MaskFields, LeavesTheCountUnsetWhereNothingWasMasked) {
  event::AssistantOutput output;
  output.text = "fine";
  EXPECT_EQ(mask_fields(output), 0u);
  EXPECT_FALSE(output.masked_secrets);
}

}  // namespace
}  // namespace magi::session
