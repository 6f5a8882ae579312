// What must hold for any bytes that a server or a session may hold.  Each target gives what does not, or nothing.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace magi::fuzz {

// Bytes of a response: the events are the same however the bytes are cut.
std::string fuzz_sse(std::string_view bytes);

// Bytes of a response: an outcome, and before it records that are JSON, with calls whose arguments are JSON.
std::string fuzz_responses_reader(std::string_view bytes);
std::string fuzz_messages_reader(std::string_view bytes);
std::string fuzz_chat_reader(std::string_view bytes);

// Records of a conversation, one a line: refused, or a body that the API accepts by the rules of tests/fake.
std::string fuzz_responses_request(std::string_view lines);
std::string fuzz_messages_request(std::string_view lines);
std::string fuzz_chat_request(std::string_view lines);

struct Target {
  const char* name;  // of its corpus, below tests/fuzz/corpus
  std::string (*run)(std::string_view);
};
inline constexpr Target kWireTargets[] = {
    {"wire-sse", fuzz_sse},
    {"wire-responses-reader", fuzz_responses_reader},
    {"wire-messages-reader", fuzz_messages_reader},
    {"wire-chat-reader", fuzz_chat_reader},
    {"wire-responses-request", fuzz_responses_request},
    {"wire-messages-request", fuzz_messages_request},
    {"wire-chat-request", fuzz_chat_request},
};

}  // namespace magi::fuzz
