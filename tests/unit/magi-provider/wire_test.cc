#include "tools/magi-provider/wire.h"

#include <gtest/gtest.h>

#include "tools/magi-provider/transport.h"

namespace magi::provider {
namespace {

config::ProviderChoice choice(config::Api api, std::string base) {
  config::ProviderChoice made;
  made.api = api;
  made.base_url = std::move(base);
  return made;
}

TEST(Wire, RequestUrls) {
  using config::Api;
  EXPECT_EQ(request_url(choice(Api::kResponses, "https://api.openai.com/v1")), "https://api.openai.com/v1/responses");
  EXPECT_EQ(request_url(choice(Api::kChat, "http://127.0.0.1:8080/v1/")), "http://127.0.0.1:8080/v1/chat/completions");
  EXPECT_EQ(request_url(choice(Api::kChat, "http://h/v1/chat/completions")), "http://h/v1/chat/completions");
  EXPECT_EQ(request_url(choice(Api::kChat, "https://h/openai?api-version=2")),
            "https://h/openai/chat/completions?api-version=2");
  EXPECT_EQ(request_url(choice(Api::kMessages, "https://api.anthropic.com")), "https://api.anthropic.com/v1/messages");
  EXPECT_EQ(request_url(choice(Api::kMessages, "http://h/v1")), "http://h/v1/messages");
  EXPECT_EQ(request_url(choice(Api::kMessages, "http://h/v1/messages")), "http://h/v1/messages");
  EXPECT_EQ(models_url(choice(Api::kMessages, "http://h")), "http://h/v1/models?limit=1000");
  EXPECT_EQ(models_url(choice(Api::kChat, "http://h/v1")), "http://h/v1/models");
}

TEST(Wire, HeadersSignAndYieldToSettings) {
  auto anthropic = choice(config::Api::kMessages, "http://h");
  EXPECT_EQ(request_headers(anthropic, "k", kEventStream),
            (std::vector<std::string>{"Content-Type: application/json", "Accept: text/event-stream",
                                      "anthropic-version: 2023-06-01", "x-api-key: k"}));
  auto chat = choice(config::Api::kChat, "http://h");
  EXPECT_EQ(request_headers(chat, "k", kEventStream).back(), "Authorization: Bearer k");
  EXPECT_EQ(request_headers(chat, "", kJson).size(), 2u);
  chat.headers = {{"authorization", "Basic x"}, {"X-A", "1"}};
  EXPECT_EQ(request_headers(chat, "k", kEventStream),
            (std::vector<std::string>{"X-A: 1", "authorization: Basic x", "Content-Type: application/json",
                                      "Accept: text/event-stream"}));
}

TEST(Wire, BaseUrlsThatCannotBeUsed) {
  EXPECT_TRUE(check_base_url("http://[::1]:8/v1"));
  for (const std::string_view url :
       {"", "h", "ftp://h/", "http://", "http:///v1", "file:///etc/passwd", "http://h/ x", "http://h/#x", "http://h\n"})
    EXPECT_FALSE(check_base_url(url)) << url;
  const auto with_user = check_base_url("http://user:secret@h/");
  ASSERT_FALSE(with_user);
  EXPECT_EQ(with_user.error().what.find("secret"), std::string::npos);
}

TEST(Wire, KeysLoseBlanksAndMayHoldNoControls) {
  EXPECT_EQ(*usable_key(" sk-1\n", "V"), "sk-1");
  EXPECT_EQ(*usable_key("", "V"), "");
  const auto broken = usable_key("sk-1\r\nX-Evil: 1", "V");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().what, "V: the key holds control characters");
}

TEST(Wire, NearbyServers) {
  for (const std::string_view url :
       {"http://localhost:1/v1", "http://127.0.0.1/", "http://[::1]/", "http://10.1.2.3/", "http://192.168.0.9:80/",
        "http://172.16.0.1", "http://172.31.9.9/", "http://box.local/v1", "http://ollama:11434/v1"})
    EXPECT_TRUE(is_local_url(url)) << url;
  for (const std::string_view url : {"https://api.openai.com/v1", "http://172.32.0.1/", "http://172.15.0.1/",
                                     "http://11.0.0.1/", "http://192.169.0.1/"})
    EXPECT_FALSE(is_local_url(url)) << url;
}

TEST(Wire, OriginsHoldNoUserAndNoPath) {
  EXPECT_EQ(net::origin_of("https://u:p@h:8/x?y#z"), "https://h:8");
  EXPECT_EQ(net::origin_of("/relative"), "the server");
}

}  // namespace
}  // namespace magi::provider
