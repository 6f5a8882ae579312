// Messages, definitions and results of MCP servers, honest and not.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "libcommon/base/utf8.h"
#include "tools/magi-mcp/definitions.h"
#include "tools/magi-mcp/http_channel.h"
#include "tools/magi-mcp/result.h"
#include "tools/magi-mcp/rpc.h"
#include "tools/magi-mcp/server.h"

namespace magi::mcp {
namespace {

Message read(std::string_view json) {
  static json::Parser parser;
  return read_message(*parser.parse(json));
}
using Kind = Message::Kind;

TEST(Rpc, TellsTheKindsOfMessages) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":3,"result":{}})").id, 3);
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":3,"result":null})").kind, Kind::kResult);
  const Message error = read(R"({"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"no"}})");
  EXPECT_EQ(error.kind, Kind::kError);
  EXPECT_EQ(error.code, -32602);
  EXPECT_EQ(error.error, "no");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":null,"error":{}})").kind, Kind::kError);
  const Message asked = read(R"({"jsonrpc":"2.0","id":"a\u0062","method":"ping"})");
  EXPECT_EQ(asked.kind, Kind::kRequest);
  EXPECT_EQ(asked.raw_id, R"("a\u0062")");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"x","params":{"a":1}})").kind, Kind::kNotification);
}

TEST(Rpc, RefusesWhatIsNoMessage) {
  for (const char* json : {"1", "[]", "{}", R"({"jsonrpc":"1.0","id":1,"result":{}})", R"({"jsonrpc":"2.0","id":1})",
                           R"({"jsonrpc":"2.0","id":{},"result":1})", R"({"jsonrpc":"2.0","method":""})",
                           R"({"jsonrpc":"2.0","result":1})", R"({"jsonrpc":"2.0","id":1,"error":"x"})"})
    EXPECT_EQ(read(json).kind, Kind::kInvalid) << json;
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":")" + std::string(500, 'x') + R"("})").kind, Kind::kInvalid);
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"x","id":")" + std::string(500, 'x') + R"("})").kind, Kind::kInvalid);
  EXPECT_FALSE(read(R"({"jsonrpc":"2.0","id":"1","result":{}})").id) << "an id that we never gave";
}

TEST(Rpc, WritesOneLine) {
  EXPECT_EQ(request(1, "tools/list", ""), R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_EQ(notification("a", R"({"b":1})"), R"({"jsonrpc":"2.0","method":"a","params":{"b":1}})");
  EXPECT_EQ(reply(R"("x")", "{}"), R"({"jsonrpc":"2.0","id":"x","result":{}})");
  EXPECT_EQ(error_reply("2", kMethodNotFound, "n\n"),
            R"({"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"n\n"}})");
}

std::vector<RemoteTool> tools(std::string_view json, std::vector<std::string>* remarks = nullptr) {
  json::Parser parser;
  std::vector<RemoteTool> out;
  std::vector<std::string> said;
  for (const json::Node one : parser.parse(json)->elements()) read_tool(one, out, said);
  if (remarks) *remarks = said;
  return out;
}

TEST(Definitions, AreBoundedAndChecked) {
  std::vector<std::string> remarks;
  const auto read = tools(R"([{"name":"a","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}},
    {"name":"b","inputSchema":7},{"name":"c","inputSchema":{"type":"array"}},{"name":""},{"x":1},3,{"name":"d","title":"T"},
    {"name":"e","description":"x\u0007y","annotations":{"readOnlyHint":true}},{"name":")" +
                              std::string(200, 'n') + R"("}])",
                          &remarks);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[1].description, "T");
  EXPECT_EQ(read[2].description, "xy");
  EXPECT_TRUE(read[2].read_only);
  EXPECT_EQ(remarks.size(), 7u);
  const auto wide = tools(R"([{"name":"w","description":")" + std::string(9000, 'd') +
                          R"(","inputSchema":{"type":"object","p":")" + std::string(40'000, 's') + R"("}}])");
  EXPECT_TRUE(wide.empty());
  std::string many = "[";
  for (int i = 0; i < 300; ++i) many += (i ? "," : "") + std::string(R"({"name":"t)") + std::to_string(i) + "\"}";
  EXPECT_EQ(tools(many + "]").size(), kMostTools);
}

TEST(Definitions, AreStoredAsTheyWereRead) {
  const auto before =
      tools(R"([{"name":"a","description":"d\"\n","inputSchema":{ "type" : "object", "properties" : {"x":{}}}},
    {"name":"b","annotations":{"readOnlyHint":true},"execution":{"taskSupport":"required"}}])");
  const auto after = tools(stored_tools(before));
  ASSERT_EQ(after.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(after[i].name, before[i].name);
    EXPECT_EQ(after[i].description, before[i].description);
    EXPECT_EQ(after[i].schema, before[i].schema);
    EXPECT_EQ(after[i].read_only, before[i].read_only);
    EXPECT_EQ(after[i].as_task, i == 1);
  }
  EXPECT_EQ(before[0].schema, R"({"type":"object","properties":{"x":{}}})");
}

TEST(Definitions, NamesFitProvidersAndAreUnique) {
  Names names;
  EXPECT_EQ(names.add("s", {"echo", "", "", false, false}), "mcp__s__echo");
  std::set<std::string> all;
  const std::vector<std::string> tools{
      "a.b", "a/b", "a b", "a_b", "\xc3\xbc", std::string(128, 'x'), std::string(127, 'x') + "y"};
  for (const std::string& tool : tools) {
    const std::string name = names.add("server", {tool, "", "", false, false});
    EXPECT_LE(name.size(), 64u);
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"),
              std::string::npos);
    EXPECT_TRUE(all.insert(name).second) << name;
    ASSERT_NE(names.find(name), nullptr);
    EXPECT_EQ(names.find(name)->tool, tool);
  }
  EXPECT_EQ(names.find("mcp__other__x"), nullptr);
  // "a" + "__b__c" and "a__b" + "c" would be one name.
  EXPECT_NE(names.add("a", {"b__c", "", "", false, false}), names.add("a__b", {"c", "", "", false, false}));
}

Result<CallResult> result(std::string_view json) {
  json::Parser parser;
  return read_call_result(*parser.parse(json));
}

TEST(CallResult, TakesEachKindOfContent) {
  const auto read = result(R"({"content":[{"type":"text","text":"one\n"},{"type":"text","text":"two"},
    {"type":"resource","resource":{"uri":"u","text":"three"}},{"type":"resource","resource":{"uri":"v","blob":"AAAA","mimeType":"m"}},
    {"type":"resource_link","uri":"w","name":"n"},{"type":"video"},{"no":"type"}],"isError":true})");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->is_error);
  EXPECT_EQ(read->output,
            "one\ntwo\n[resource u]\nthree\n[resource v, m, 3 bytes: not text]\nn <w>\n[video: not text]\n[content: "
            "not text]");
  EXPECT_EQ(result(R"({"content":[],"structuredContent":{"a": [1, 2]}})")->output, R"({"a":[1,2]})");
  EXPECT_EQ(result(R"({"content":[{"type":"text","text":"same"}],"structuredContent":{"a":1}})")->output, "same");
  EXPECT_EQ(result(R"({"structuredContent":{"a":1}})")->output, R"({"a":1})");
  EXPECT_FALSE(result(R"({"other":1})"));
  EXPECT_FALSE(result("[]"));
  EXPECT_FALSE(result(R"({"content":"text"})"));
}

TEST(CallResult, ImagesAreCheckedByWhatTheyAre) {
  const std::string gif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  const auto image = [&](const std::string& data) {
    return *result(R"({"content":[{"type":"image","mimeType":"image/png","data":")" + data + R"("}]})");
  };
  const CallResult good = image(gif);
  ASSERT_EQ(good.parts.size(), 1u);
  EXPECT_EQ(good.parts[0].media_type, "image/gif") << "not what the server says";
  EXPECT_EQ(good.output, "[image image/gif, 1 x 1, 42 bytes]");
  EXPECT_TRUE(image("####").parts.empty());
  EXPECT_TRUE(image("PHN2Zz4=").parts.empty());
  EXPECT_TRUE(image("").parts.empty());
  EXPECT_TRUE(image(gif + std::string(5'000'000, 'A')).parts.empty());
}

TEST(CallResult, OutputIsBounded) {
  const std::string piece(1 << 20, 'x');
  std::string json = R"({"content":[)";
  for (int i = 0; i < 20; ++i) json += (i ? "," : "") + std::string(R"({"type":"text","text":")") + piece + "\"}";
  const auto read = result(json + "]}");
  EXPECT_LE(read->output.size(), (16u << 20) + 64);
  EXPECT_GT(read->omitted_bytes, 3 << 20);
}

// Bug 90 of the list of known ones: HTTP 429 with Retry-After is waited for and tried again.
TEST(Retry, WaitsAsLongAsTheServerAsksAndNoLonger) {
  EXPECT_DOUBLE_EQ(*retry_delay(1, 2.0, 0.5), 2.0);
  EXPECT_DOUBLE_EQ(*retry_delay(1, std::nullopt, 0.5), 0.5);
  EXPECT_DOUBLE_EQ(*retry_delay(4, 1.0, 0.5), 4.0) << "what the server asks for is the least";
  EXPECT_FALSE(retry_delay(1, 3600.0, 0.5)) << "better told than taken";
  EXPECT_FALSE(retry_delay(6, 1.0, 0.5));
}

TEST(Variables, AreReplacedByName) {
  const auto variable = [](std::string_view name) { return name == "T" ? std::string("secret") : std::string(); };
  EXPECT_EQ(*with_variables("Bearer ${T}!", variable), "Bearer secret!");
  EXPECT_EQ(*with_variables("$T {T} ${", variable), "$T {T} ${");
  EXPECT_FALSE(with_variables("${NONE}", variable));
  EXPECT_FALSE(with_variables("${}", variable));
}

}  // namespace
}  // namespace magi::mcp
