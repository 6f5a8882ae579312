// Recorded answers of real servers, where there are some: $MAGI_STREAM_RECORDINGS names a folder with responses/, chat/
// and anthropic/, of *.sse (bodies) and *.chunks.jsonl (one data line a line).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/unit/magi-provider/reading.h"
#include "tools/magi-provider/chat_reader.h"
#include "tools/magi-provider/messages_reader.h"
#include "tools/magi-provider/responses_reader.h"

namespace magi::provider {
namespace {

namespace fs = std::filesystem;

std::string body_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (file.extension() != ".jsonl") return text;
  std::string body;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    body.append("data: ").append(text, at, end - at).append("\n\n");
    at = end + 1;
  }
  return body;
}

struct Counts {
  int streams = 0, cuts = 0, calls = 0, mismatches = 0;
};

// Every call that came out holds JSON.
void check_calls(const Read& read, Counts& counts, const std::string& name) {
  json::Parser records, arguments;
  for (std::size_t at = 0; at < read.records.size();) {
    const std::size_t end = read.records.find('\n', at);
    const auto record = records.parse(read.records.substr(at, end - at));
    ASSERT_TRUE(record) << name;
    if (event::record_type(*record) == event::ToolCall::kType) {
      ++counts.calls;
      EXPECT_TRUE(arguments.parse(*record->find("arguments").as_string())) << name;
    }
    at = end + 1;
  }
}

template <class Reader>
void read_folder(const fs::path& folder, Counts& counts) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() != ".sse" && name.find(".chunks.jsonl") == std::string::npos) continue;
    const std::string body = body_of(entry.path());
    const Read whole = read_stream<Reader>(body);
    ++counts.streams;
    EXPECT_NE(whole.end, "nothing") << name;
    check_calls(whole, counts, name);
    // All positions of the small ones, some two hundred of the large ones.
    const std::size_t step = std::max<std::size_t>(1, body.size() / 200);
    for (std::size_t cut = 0; cut < body.size(); cut += step, ++counts.cuts) {
      if (read_stream<Reader>(body, cut) == whole) continue;
      ++counts.mismatches;
      ADD_FAILURE() << name << " cut at " << cut;
    }
    if (std::getenv("MAGI_SHOW_RECORDINGS")) std::printf("%-90s %s\n", name.c_str(), whole.end.c_str());
  }
}

template <class Reader>
void read_recordings(const char* kind) {
  const char* root = std::getenv("MAGI_STREAM_RECORDINGS");
  if (!root) GTEST_SKIP() << "MAGI_STREAM_RECORDINGS is not set";
  Counts counts;
  read_folder<Reader>(fs::path(root) / kind, counts);
  std::printf("%s: %d recordings, %d cut positions, %d calls, %d mismatches\n", kind, counts.streams, counts.cuts,
              counts.calls, counts.mismatches);
  EXPECT_GT(counts.streams, 0);
}

TEST(Recordings, Responses) { read_recordings<ResponsesReader>("responses"); }
TEST(Recordings, Messages) { read_recordings<MessagesReader>("anthropic"); }
TEST(Recordings, Chat) { read_recordings<ChatReader>("chat"); }

}  // namespace
}  // namespace magi::provider
