#include "tools/magi-code/loop/journal.h"

#include <gtest/gtest.h>

namespace magi::code {
namespace {

event::UserInput input(const std::string& text) {
  event::UserInput payload;
  payload.turn_id = "t1";
  payload.text = text;
  payload.origin = "user";
  return payload;
}

template <class... Payloads>
void append(Journal& journal, Payloads... payloads) {
  Entries entries;
  (entries.add(payloads), ...);
  const auto ids = journal.append(std::move(entries), session::Durability::kRequired);
  ASSERT_TRUE(ids.has_value());
  EXPECT_EQ(ids->size(), sizeof...(payloads));
}

event::ToolCallEvent call(const std::string& id) {
  event::ToolCallEvent payload;
  payload.turn_id = "t1";
  payload.call_id = id;
  payload.name = "read";
  payload.arguments = "{}";
  return payload;
}

event::ToolResultEvent result(const std::string& id, const std::string& output) {
  event::ToolResultEvent payload;
  payload.turn_id = "t1";
  payload.call_id = id;
  payload.result_id = "r-" + id;
  payload.status = "success";
  payload.output = output;
  return payload;
}

TEST(Journal, WithoutASessionItStillMasksAndRemembers) {
  Journal journal;
  append(journal, input("my key is sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA, keep it"));
  const auto stream = journal.request({});
  ASSERT_TRUE(stream.has_value());
  EXPECT_EQ(stream->find("AAAAAAAA"), std::string::npos);
  EXPECT_NE(stream->find("my key is "), std::string::npos);
}

TEST(Journal, AContinuationIsSentAndForgotten) {
  Journal journal;
  append(journal, input("hi"));
  EXPECT_NE(journal.request({}, "Continue")->find("\"Continue\""), std::string::npos);
  EXPECT_EQ(journal.request({})->find("\"Continue\""), std::string::npos);
}

TEST(Journal, ResultsFollowTheirCallsAndLocalEventsAreNotSent) {
  Journal journal;
  event::Diagnostic diagnostic;
  diagnostic.level = "info";
  diagnostic.message = "local only";
  append(journal, input("hi"), call("c1"), call("c2"), diagnostic);
  append(journal, result("c1", "one"), result("c2", "two"));
  const std::string stream = *journal.request({});
  EXPECT_LT(stream.find("\"call_id\":\"c2\",\"name\""), stream.find("\"one\""));
  EXPECT_LT(stream.find("\"one\""), stream.find("\"two\""));
  EXPECT_EQ(stream.find("local only"), std::string::npos);
}

}  // namespace
}  // namespace magi::code
