#include "tools/magi-provider/intake.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "libcommon/os/fd.h"
#include "tests/unit/magi-provider/mapping.h"
#include "tools/magi-provider/chat_request.h"

namespace magi::provider {
namespace {

// What came of the input, one word an arrival.
std::string take(context::Framing framing, std::string_view input, std::string prompt = {}) {
  Intake intake(framing, std::move(prompt), [] {
    return std::make_unique<ChatRequest>(MapperOptions{"test", "http://h"});
  });
  auto pipe = os::make_pipe();
  EXPECT_EQ(write(pipe->write.get(), input.data(), input.size()), static_cast<ssize_t>(input.size()));
  pipe->write.reset();
  while (!intake.at_end()) EXPECT_TRUE(intake.read(pipe->read.get()).has_value());
  std::string seen;
  for (const Incoming& incoming : intake.arrived()) {
    static constexpr std::string_view kWords[] = {"request", "cancel", "withdrawn", "bad"};
    seen.append(kWords[static_cast<std::size_t>(incoming.kind)]).append(" ").append(incoming.request_id);
    if (incoming.kind == Incoming::Kind::kBad) seen.append(": ").append(incoming.error.what);
    seen += '\n';
  }
  return seen;
}

const std::string kBegin = R"({"type":"conversation","version":1})"
                           "\n";
const std::string kHi = std::string(kUser) + "\n";
const std::string kEndRecord = R"({"type":"end","items":1})"
                               "\n";
std::string request(std::string_view id) {
  return R"({"type":"request","request_id":")" + std::string(id) + "\"}\n" + kBegin;
}

TEST(Intake, OneConversation) {
  EXPECT_EQ(take(context::Framing::kSingle, kBegin + kHi + kEndRecord), "request \n");
  EXPECT_EQ(take(context::Framing::kSingle, kHi), "request \n");
  EXPECT_EQ(take(context::Framing::kSingle, std::string(kUser)), "request \n");
  EXPECT_EQ(take(context::Framing::kSingle, kBegin + kHi),
            "bad : the conversation is truncated: it has no end record\n");
  EXPECT_EQ(take(context::Framing::kSingle, ""), "bad : no conversation on stdin\n");
  EXPECT_EQ(take(context::Framing::kSingle, "{\n"), "bad : line 1: not valid JSON: a string is missing\n");
}

TEST(Intake, APromptNeedsNoConversation) {
  EXPECT_EQ(take(context::Framing::kSingle, "", "hi"), "request \n");
  EXPECT_EQ(take(context::Framing::kSingle, kBegin + kEndRecord, "hi"), "request \n");
  EXPECT_EQ(take(context::Framing::kSingle, kBegin, "hi"),
            "bad : the conversation is truncated: it has no end record\n");
}

TEST(Intake, RequestsOneAfterAnother) {
  EXPECT_EQ(take(context::Framing::kServe, request("a") + kHi + kEndRecord + request("b") + kHi + kEndRecord),
            "request a\nrequest b\n");
  EXPECT_EQ(take(context::Framing::kServe, ""), "");
}

TEST(Intake, ABadRequestCostsItselfAlone) {
  EXPECT_EQ(take(context::Framing::kServe,
                 request("a") + "{\"type\":\"nonsense\"}\n" + kHi + kEndRecord + request("b") + kHi + kEndRecord),
            "bad a: line 3: unknown record type 'nonsense'\nrequest b\n");
  EXPECT_EQ(take(context::Framing::kServe,
                 request("a") + "{\"type\":\"user\"}\n" + kHi + kEndRecord + request("b") + kHi + kEndRecord),
            "bad a: field 'text' is missing or not a string\nrequest b\n");
  EXPECT_EQ(take(context::Framing::kServe, request("a") + kEndRecord),
            "bad a: the conversation is empty: give --prompt\n");
}

TEST(Intake, CancellationsComeAtAnyTime) {
  const std::string cancel_a = R"({"type":"cancel","request_id":"a"})"
                               "\n";
  EXPECT_EQ(take(context::Framing::kServe, request("a") + kHi + kEndRecord + cancel_a), "request a\ncancel a\n");
  EXPECT_EQ(
      take(context::Framing::kServe, request("a") + cancel_a + kHi + kEndRecord + request("b") + kHi + kEndRecord),
      "withdrawn a\nrequest b\n");
}

}  // namespace
}  // namespace magi::provider
