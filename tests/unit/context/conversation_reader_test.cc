#include <gtest/gtest.h>

#include "libcommon/context/conversation_reader.h"

namespace magi::context {
namespace {

// What a reader makes of lines: the types it gives, or the first error.
std::string read(std::initializer_list<std::string_view> lines, Framing framing = Framing::kSingle) {
  ConversationReader reader(framing);
  std::string out;
  for (const std::string_view line : lines) {
    auto record = reader.line(line);
    if (!record) return out + record.error().what;
    if (*record) out += std::string(record_type_name((*record)->kind)) + " ";
  }
  auto finished = reader.finish();
  return finished ? out : out + finished.error().what;
}

constexpr std::string_view kStart = R"({"type":"conversation","version":1})";
constexpr std::string_view kUserLine = R"({"type":"user","text":"hi"})";
constexpr std::string_view kEndLine = R"({"type":"end"})";
constexpr std::string_view kRequestLine = R"({"type":"request","request_id":"q"})";

TEST(ConversationReader, TakesFramedAndHandMadeStreams) {
  EXPECT_EQ(read({kStart, kUserLine, kEndLine}), "conversation user end ");
  EXPECT_EQ(read({kRequestLine, kStart, kUserLine, kEndLine}), "request conversation user end ");
  EXPECT_EQ(read({kUserLine}), "user ");
  EXPECT_EQ(read({"", "  \r", kUserLine, ""}), "user ");
}

TEST(ConversationReader, RefusesHalfAConversation) {
  const std::string truncated = "the conversation is truncated: it has no end record";
  EXPECT_EQ(read({kStart, kUserLine}), "conversation user " + truncated);
  EXPECT_EQ(read({kRequestLine}), "request " + truncated);
  EXPECT_EQ(read({}), "no conversation on stdin");
  EXPECT_EQ(read({""}), "no conversation on stdin");
  EXPECT_EQ(read({kStart, kStart}),
            "conversation line 2: the conversation is truncated: another one begins before its end");
  EXPECT_EQ(read({kUserLine, kStart}), "user line 2: the conversation is truncated: another one begins before its end");
  EXPECT_EQ(read({kStart, kEndLine, kUserLine}),
            "conversation end line 3: a record behind the end of the conversation");
  EXPECT_EQ(read({kEndLine}), "line 1: an end without a conversation");
}

TEST(ConversationReader, UnknownTypesMustBeOptional) {
  EXPECT_EQ(read({kUserLine, R"({"type":"future"})"}), "user line 2: unknown record type 'future'");
  EXPECT_EQ(read({kUserLine, R"({"type":"future","optional":true})"}), "user ");
  EXPECT_EQ(read({R"({"type":"cancel"})"}), "line 1: unknown record type 'cancel'");
  EXPECT_EQ(read({R"({"text":"x"})"}), "line 1: a record without a type");
  EXPECT_EQ(read({R"({"type":"conversation","version":2})"}).substr(0, 17), "line 1: a version");
  EXPECT_EQ(read({"nonsense"}).substr(0, 22), "line 1: not valid JSON");
}

TEST(ConversationReader, ServesStreamAfterStream) {
  EXPECT_EQ(read({kRequestLine, kStart, kEndLine, R"({"type":"cancel"})", kRequestLine, kStart, kUserLine, kEndLine},
                 Framing::kServe),
            "request conversation end cancel request conversation user end ");
  EXPECT_EQ(read({}, Framing::kServe), "");
}

TEST(ConversationReader, DropsTheRestOfAFailedStream) {
  ConversationReader reader(Framing::kServe);
  EXPECT_TRUE(reader.line(kRequestLine));
  EXPECT_FALSE(reader.line("broken"));
  EXPECT_EQ(reader.line(kUserLine)->has_value(), false);
  EXPECT_EQ(reader.line("broken again")->has_value(), false);
  EXPECT_EQ(reader.line(kEndLine)->has_value(), false);
  EXPECT_TRUE(reader.between_streams());
  EXPECT_EQ(reader.line(kRequestLine)->has_value(), true);
}

TEST(ConversationReader, TheNextStreamIsReadAfterACutOne) {
  ConversationReader reader(Framing::kServe);
  EXPECT_TRUE(reader.line(kRequestLine));
  EXPECT_TRUE(reader.line(kUserLine));
  EXPECT_FALSE(reader.line(kRequestLine));
  ASSERT_TRUE(reader.line_is_unread());
  EXPECT_EQ(reader.line(kRequestLine)->has_value(), true);
  EXPECT_FALSE(reader.line_is_unread());
  EXPECT_EQ(reader.line(kEndLine)->has_value(), true);
}

TEST(ConversationReader, ReplacesBytesThatAreNotUtf8) {
  ConversationReader reader(Framing::kSingle);
  auto record = reader.line("{\"type\":\"user\",\"text\":\"a\xFF\xC3\"}");
  ASSERT_TRUE(record && *record);
  EXPECT_EQ((*record)->root.find("text").as_string(), "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(reader.replaced_bytes(), 2u);
}

}  // namespace
}  // namespace magi::context
