// What must hold whatever the bytes: for the fuzzers, and for the unit tests that go through what those have found.
#pragma once

#include <string>
#include <string_view>

namespace magi::context::test {

// Each gives the reason why it does not hold; empty: it does.

// One line read as a session event: what is read can be written, and reads the same again.
std::string complaint_of_event(std::string_view line);
// A session replayed: it succeeds, and the stream is valid, with calls and results matched.
std::string complaint_of_session(std::string_view session);

}  // namespace magi::context::test
