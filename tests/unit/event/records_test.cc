#include <gtest/gtest.h>

#include <set>

#include "libcommon/event/answers.h"
#include "libcommon/event/session_event.h"
#include "libcommon/event/stream.h"

namespace magi::event {
namespace {

// Gives every field a value of its own and notes the names.
struct Filler {
  int counter = 0;
  std::vector<std::string> required_names, optional_names;

  template <class T>
  void required(std::string_view name, T& value) {
    required_names.emplace_back(name);
    fill(value);
  }
  template <class T>
  void optional(std::string_view name, T& value) {
    optional_names.emplace_back(name);
    fill(value);
  }

  void fill(std::string& value) { value = "text \"" + std::to_string(++counter) + "\"\n\u2028"; }
  void fill(std::int64_t& value) { value = ++counter * 1'000'000'000'000; }
  void fill(double& value) { value = ++counter + 0.5; }
  void fill(bool& value) { value = true; }
  void fill(Raw& value) { value.json = "{\"raw\":[" + std::to_string(++counter) + ",\"\\ud800\"]}"; }
  template <class T>
  void fill(std::optional<T>& value) {
    fill(value.emplace());
  }
  template <class T>
  void fill(std::vector<T>& value) {
    fill(value.emplace_back());
    fill(value.emplace_back());
  }
  template <class T>
  void fill(T& record) {
    Filler nested{counter, {}, {}};
    T::fields(record, nested);
    counter = nested.counter;
  }
};

template <class Record>
class EveryRecord : public testing::Test {};

using Records = testing::Types<Envelope, Part, ErrorInfo, UserInput, AssistantOutput, ProviderResponseItem,
                               ToolCallEvent, ToolResultEvent, ToolResultAssessment, TurnStatus, ArchiveRef, Compaction,
                               Diagnostic, SessionTitle, SessionUsage, SessionPreferences, ProviderStreamTrace, Request,
                               Conversation, Summary, Evidence, Context, ReasoningSelection, User, Assistant,
                               ProviderItem, ToolCall, ToolResult, ReadCounts, End, Attempt, Text, Reasoning,
                               ToolProgress, Usage, Trace, Done, ProviderError, Cancel, ToolAnswer, ToolDefinition>;
TYPED_TEST_SUITE(EveryRecord, Records);

TYPED_TEST(EveryRecord, RoundTripsEveryField) {
  TypeParam record;
  Filler filler;
  TypeParam::fields(record, filler);
  const std::string printed = payload_json(record);
  EXPECT_EQ(printed.find('\n'), std::string::npos);
  json::Parser parser;
  const auto root = parser.parse(printed);
  ASSERT_TRUE(root) << printed;
  std::vector<std::string> names = filler.required_names;
  names.insert(names.end(), filler.optional_names.begin(), filler.optional_names.end());
  std::multiset<std::string> printed_names;
  for (const json::Node::Member member : root->members()) printed_names.insert(member.key());
  EXPECT_EQ(printed_names, std::multiset<std::string>(names.begin(), names.end()));
  TypeParam again;
  ASSERT_TRUE(parse_fields(*root, again)) << parse_fields(*root, again).error().what;
  EXPECT_EQ(payload_json(again), printed);
}

TYPED_TEST(EveryRecord, OptionalFieldsAreLeftOutAndMayBeAbsentOrNull) {
  TypeParam record;
  Filler filler;
  TypeParam::fields(record, filler);
  TypeParam empty;
  const std::string printed = payload_json(empty);
  json::Parser parser;
  auto root = parser.parse(printed);
  ASSERT_TRUE(root);
  std::string with_nulls = printed.substr(0, printed.size() - 1);
  for (const std::string& name : filler.optional_names)
    if (!root->find(name)) with_nulls += (with_nulls.size() > 1 ? ",\"" : "\"") + name + "\":null";
  root = parser.parse(with_nulls + "}");
  ASSERT_TRUE(root) << with_nulls;
  TypeParam again;
  // An empty raw value is printed as null and read as absent.
  EXPECT_TRUE(parse_fields(*root, again));
  EXPECT_EQ(payload_json(again), printed);
}

TYPED_TEST(EveryRecord, MissingAndMistypedFieldsAreNamed) {
  TypeParam record;
  Filler filler;
  TypeParam::fields(record, filler);
  json::Parser source_parser, parser;
  const std::string printed = payload_json(record);
  const auto source = source_parser.parse(printed);
  ASSERT_TRUE(source);
  for (const json::Node::Member left_out : source->members()) {
    const auto rebuilt = [&](std::string_view replacement) {
      std::string text;
      json::Writer out(text);
      out.begin_object();
      for (const json::Node::Member member : source->members()) {
        if (member.key() == left_out.key() && replacement.empty()) continue;
        out.key(member.key()).raw(member.key() == left_out.key() ? replacement : member.value.raw());
      }
      out.end_object();
      return text;
    };
    const bool is_raw =
        left_out.value.raw().find("\"raw\"") != std::string_view::npos && left_out.value.is(json::Kind::kObject);
    const bool is_required = std::count(filler.required_names.begin(), filler.required_names.end(), left_out.key()) > 0;
    TypeParam again;
    const std::string without = rebuilt("");
    const auto missing = parse_fields(*parser.parse(without), again);
    EXPECT_EQ(missing.has_value(), !is_required || is_raw) << left_out.key();
    EXPECT_EQ(missing ? "" : missing.error().what, missing ? "" : "field '" + left_out.key() + "' is missing");
    const std::string wrong = rebuilt(left_out.value.is(json::Kind::kString) ? "17" : "\"text\"");
    const auto mistyped = parse_fields(*parser.parse(wrong), again);
    EXPECT_EQ(mistyped.has_value(), is_raw) << left_out.key();
    EXPECT_EQ(mistyped ? "" : mistyped.error().what,
              mistyped ? "" : "field '" + left_out.key() + "' is of the wrong kind");
  }
}

TEST(SessionLine, IsOneLineWithTheEnvelopeInFront) {
  UserInput input;
  input.turn_id = "t1";
  input.text = "a\nb\u2028";
  const std::string line = session_line(Envelope{"1f", "2026-11-30T10:00:01.000Z", "s1", "/p"}, input);
  EXPECT_EQ(line,
            "{\"event_type\":\"user_input\",\"event_id\":\"1f\",\"timestamp\":\"2026-11-30T10:00:01.000Z\",\"session_"
            "id\":\"s1\","
            "\"cwd\":\"/p\",\"payload\":{\"turn_id\":\"t1\",\"text\":\"a\\nb\u2028\"}}\n");
  json::Parser parser;
  const auto event = parse_session_event(*parser.parse(line));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->event_type, "user_input");
  EXPECT_EQ(event->envelope.cwd, "/p");
  EXPECT_EQ(parse_record<UserInput>(event->payload)->text, "a\nb\u2028");
}

TEST(SessionEvent, ToleratesWhatOtherVersionsLeaveOutAndRefusesTheRest) {
  json::Parser parser;
  const auto why = [&](std::string_view text) {
    const auto event = parse_session_event(*parser.parse(text));
    return event ? "ok" : event.error().what;
  };
  EXPECT_EQ(why(R"({"event_type":"x","event_id":"1","payload":{}})"), "ok");
  EXPECT_EQ(why(R"({"event_type":"x","event_id":"1","payload":{},"event_type":"y","more":[1]})"), "ok");
  EXPECT_EQ(why(R"({"event_type":7,"event_id":"1","payload":{}})"), "no event_type");
  EXPECT_EQ(why(R"({"event_type":"x","payload":{}})"), "no event_id");
  EXPECT_EQ(why(R"({"event_type":"x","event_id":"1","payload":[]})"), "no payload");
  EXPECT_EQ(why(R"({"event_type":"x","event_id":"1"})"), "no payload");
  EXPECT_EQ(why(R"(["event_type"])"), "not an object");
}

TEST(SessionId, AcceptsOnlyHarmlessNames) {
  for (const char* id : {"a", "0", "20261130-100001-9f3a5c71d2", "A_b-C"}) EXPECT_TRUE(is_valid_session_id(id)) << id;
  EXPECT_TRUE(is_valid_session_id(std::string(128, 'a')));
  for (const char* id : {"", "-a", "_a", ".a", "a.b", "a/b", "..", "a b", "a\n", "é", "*", "a*"})
    EXPECT_FALSE(is_valid_session_id(id)) << id;
  EXPECT_FALSE(is_valid_session_id(std::string(129, 'a')));
}

}  // namespace
}  // namespace magi::event
