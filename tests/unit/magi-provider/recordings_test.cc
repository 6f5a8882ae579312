// Recorded answers of real servers (recordings.h).  What the readers make of them is what they say (oracle.h), whole
// and cut at every byte position into two reads, and at random into many.
#include "tests/unit/magi-provider/recordings.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "tests/fake/report.h"
#include "tests/unit/magi-provider/oracle.h"
#include "tests/unit/magi-provider/reading.h"
#include "tools/magi-provider/chat_reader.h"
#include "tools/magi-provider/failure.h"
#include "tools/magi-provider/messages_reader.h"
#include "tools/magi-provider/responses_reader.h"

namespace magi::provider {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kSeed = 20261130;

struct Counts {
  int streams = 0, calls = 0, mismatches = 0, splits = 0;
  std::size_t cuts = 0;
};

struct Collected final : SseSink {
  std::vector<std::string> events;
  void on_sse(const SseEvent& event) override {
    events.push_back(std::string(event.name) + '\n' + std::string(event.data) + (event.torn ? "\ntorn" : ""));
  }
};

Said said_by(const Read& read) {
  Said said;
  json::Parser parser;
  for (std::size_t at = 0; at < read.records.size();) {
    const std::size_t end = read.records.find('\n', at);
    const auto record = parser.parse(read.records.substr(at, end - at));
    at = end + 1;
    if (!record) continue;
    const auto type = event::record_type(*record);
    if (type == event::Text::kType) said.text += *record->find("text").as_string();
    if (type == event::ToolCall::kType)
      said.calls.push_back({*record->find("name").as_string(), compact(*record->find("arguments").as_string())});
  }
  return said;
}

// A cut changes nothing but how the event around it is read: from its first byte in the state that all before it left,
// to its end, where the state must be the one that an uncut read leaves.  So every position costs one event.
void cut_everywhere(const Recording& recording, Counts& counts) {
  const std::string_view body = recording.body;
  SseParser before;
  for (std::size_t begin = 0; begin < body.size();) {
    std::size_t end = body.find("\n\n", begin);
    if (const std::size_t crlf = body.find("\r\n\r\n", begin); crlf < end) end = crlf + 2;
    // The event, and the first bytes of the next.
    end = std::min(end == std::string_view::npos ? body.size() : end + 2 + 16, body.size());
    const std::string_view piece = body.substr(begin, end - begin);
    Collected whole;
    SseParser after = before;
    after.push(piece, whole);
    for (std::size_t cut = 0; cut < piece.size(); ++cut, ++counts.cuts) {
      Collected cut_events;
      SseParser parser = before;
      parser.push(piece.substr(0, cut), cut_events);
      parser.push(piece.substr(cut), cut_events);
      if (parser == after && cut_events.events == whole.events) continue;
      ++counts.mismatches;
      ADD_FAILURE() << recording.name << " cut at " << begin + cut;
    }
    before = after;
    begin = end;
  }
}

template <class Reader>
Read read_in_pieces(std::string_view body, std::mt19937& random) {
  std::string records;
  AnswerWriter out(records, "");
  Reader reader(out, {"test", "http://h/v1", {}, {}});
  SseParser sse;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t size = 1 + random() % (random() % 4 ? 7 : 900);
    sse.push(body.substr(at, size), reader);
    at += size;
  }
  sse.finish(reader);
  reader.end_of_input();
  return result_of(reader, std::move(records));
}

std::string with_line_ends(std::string_view body, std::string_view line_end) {
  std::string text;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (body[at] == '\r') continue;
    if (body[at] == '\n')
      text += line_end;
    else
      text += body[at];
  }
  return text;
}

template <class Reader>
void split_and_vary(const Recording& recording, const Read& whole, std::mt19937& random, Counts& counts) {
  const auto expect_same = [&](const Read& read, const char* how) {
    ++counts.splits;
    if (read == whole) return;
    ++counts.mismatches;
    ADD_FAILURE() << recording.name << " " << how << ":\n" << read << "\nwhole:\n" << whole;
  };
  for (int round = 0; round < 8; ++round) expect_same(read_in_pieces<Reader>(recording.body, random), "in pieces");
  for (const std::string_view line_end : {"\r\n", "\r", "\n"})
    expect_same(read_stream<Reader>(with_line_ends(recording.body, line_end)), "with other line ends");
  expect_same(read_stream<Reader>(": keep-alive\n\n" + recording.body), "behind a comment");
}

template <class Reader>
void read_recordings(const char* kind, Said (*say)(std::string_view)) {
  const auto root = recordings_folder();
  if (!root) GTEST_SKIP() << "no recordings: MAGI_SHARED names the folder that holds fixtures/streams";
  Counts counts;
  std::mt19937 random(kSeed);
  for (const Recording& recording : recordings_of(*root / kind)) {
    const Read whole = read_stream<Reader>(recording.body);
    ++counts.streams;
    EXPECT_NE(whole.end, "nothing") << recording.name;
    const Said expected = say(recording.body), said = said_by(whole);
    counts.calls += static_cast<int>(said.calls.size());
    const std::string usage = expected.input_tokens ? "in " + std::to_string(*expected.input_tokens) : "";
    if (said.text != expected.text || said.calls != expected.calls || !whole.usage.starts_with(usage)) {
      ++counts.mismatches;
      ADD_FAILURE() << recording.name << ": " << whole.end << "\nread: " << said.text << "\nsaid: " << expected.text
                    << "\ncalls read: " << said.calls.size() << ", said: " << expected.calls.size()
                    << "\nusage: " << whole.usage << ", said: " << usage;
    }
    cut_everywhere(recording, counts);
    split_and_vary<Reader>(recording, whole, random, counts);
    if (std::getenv("MAGI_SHOW_RECORDINGS")) std::printf("%-90s %s\n", recording.name.c_str(), whole.end.c_str());
  }
  std::printf(
      "%s: %d recordings parsed, %zu cut positions tried, %d splits and variants (seed %u), %d calls, %d mismatches\n",
      kind, counts.streams, counts.cuts, counts.splits, kSeed, counts.calls, counts.mismatches);
  EXPECT_GT(counts.streams, 0);
}

TEST(Recordings, Responses) { read_recordings<ResponsesReader>("responses", responses_say); }
TEST(Recordings, Messages) { read_recordings<MessagesReader>("anthropic", messages_say); }
TEST(Recordings, Chat) { read_recordings<ChatReader>("chat", chat_says); }

// Bug 65: error bodies of every shape become a readable line and a kind that fits their status.
TEST(Recordings, Bug65RefusalsAreReadable) {
  const auto root = recordings_folder();
  if (!root) GTEST_SKIP() << "no recordings: MAGI_SHARED names the folder that holds fixtures/streams";
  std::ifstream index(*root / "INDEX.tsv");
  int refusals = 0;
  for (std::string line; std::getline(index, line);) {
    if (!line.starts_with("errors/")) continue;
    std::vector<std::string> fields;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find('\t', at), line.size());
      fields.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    const std::int64_t status = std::atoll(fields[3].c_str());
    if (status < 400) continue;
    ++refusals;
    const std::string body = file_text(*root / fields[0]);
    const Failure failure = classify_status(status, read_error_body(body));
    EXPECT_TRUE(failure.message.starts_with("HTTP " + fields[3])) << fields[0] << ": " << failure.message;
    EXPECT_LE(failure.message.size(), 520u) << fields[0];
    EXPECT_TRUE(body.empty() || failure.message.size() > 10) << fields[0] << ": " << failure.message;
    EXPECT_EQ(failure.message.find('{'), std::string::npos) << fields[0] << ": " << failure.message;
    EXPECT_EQ(status == 401 || status == 403, failure.kind == FailureKind::kAuth) << fields[0];
    EXPECT_TRUE(status < 500 || is_transient(failure.kind)) << fields[0] << ": " << failure.message;
    if (std::getenv("MAGI_SHOW_RECORDINGS"))
      std::printf("%-70s %s: %s\n", fields[0].c_str(), std::string(category(failure.kind)).c_str(),
                  failure.message.c_str());
  }
  std::printf("errors: %d refusals read\n", refusals);
  EXPECT_GT(refusals, 0);
}

// What real servers have accepted from other clients, the request checker of the tests must not refuse for its history.
TEST(Recordings, TheCheckerAcceptsWhatServersAccepted) {
  const auto root = recordings_folder();
  if (!root) GTEST_SKIP() << "no recordings: MAGI_SHARED names the folder that holds fixtures/streams";
  int requests = 0;
  const std::pair<const char*, fake::Api> kinds[] = {
      {"responses", fake::Api::kResponses}, {"anthropic", fake::Api::kMessages}, {"chat", fake::Api::kChat}};
  for (const auto& [kind, api] : kinds) {
    for (const Recording& recording : recordings_of(*root / kind)) {
      json::Parser parser;
      const auto body = parser.parse(file_text(recording.request));
      if (!fs::exists(recording.request) || !body || !body->is(json::Kind::kObject)) continue;
      ++requests;
      for (const std::string& problem : fake::read_request(api, *body).problems)
        if (problem.starts_with("history:")) ADD_FAILURE() << recording.name << ": " << problem;
    }
  }
  std::printf("%d recorded requests checked\n", requests);
}

}  // namespace
}  // namespace magi::provider
