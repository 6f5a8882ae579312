#include "tests/fuzz/wire_targets.h"

#include <algorithm>
#include <vector>

#include "libcommon/context/conversation_reader.h"
#include "tests/fake/report.h"
#include "tools/magi-provider/chat_reader.h"
#include "tools/magi-provider/chat_request.h"
#include "tools/magi-provider/messages_reader.h"
#include "tools/magi-provider/messages_request.h"
#include "tools/magi-provider/responses_reader.h"
#include "tools/magi-provider/responses_request.h"

namespace magi::fuzz {
namespace {

using namespace provider;

struct Events final : SseSink {
  std::vector<std::string> seen;
  void on_sse(const SseEvent& event) override {
    seen.push_back(std::string(event.name) + "\n" + std::string(event.data) + (event.torn ? "\ntorn" : ""));
  }
};

std::vector<std::string> events_of(std::string_view bytes, std::size_t piece) {
  Events events;
  SseParser parser;
  for (std::size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at))
    parser.push(bytes.substr(at, piece), events);
  parser.finish(events);
  return events.seen;
}

// Where the bytes themselves say that they shall be cut.
std::size_t some_cut(std::string_view bytes) {
  std::size_t sum = 0;
  for (const char c : bytes) sum = sum * 31 + static_cast<unsigned char>(c);
  return bytes.empty() ? 0 : sum % bytes.size();
}

struct Reading {
  std::string records, outcome;
  bool operator==(const Reading&) const = default;
};

template <class Reader>
Reading read(std::string_view bytes, std::size_t cut) {
  Reading reading;
  AnswerWriter out(reading.records, "r");
  Reader reader(out, {"test", "http://h/v1", {"used"}, {{"sent", "defined"}}});
  SseParser sse;
  sse.push(bytes.substr(0, cut), reader);
  sse.push(bytes.substr(cut), reader);
  sse.finish(reader);
  reader.end_of_input();
  if (reader.outcome())
    reading.outcome = reader.outcome()->failure ? reader.outcome()->failure->message : reader.outcome()->stop_reason;
  else
    reading.outcome = "none";
  return reading;
}

std::string check_record(std::string_view line) {
  json::Parser parser, arguments;
  const auto record = parser.parse(line);
  if (!record) return "a record is no JSON: " + std::string(line);
  if (json::has_lone_surrogate(line)) return "a record holds half a surrogate pair: " + std::string(line);
  if (event::record_type(*record) != event::ToolCall::kType) return {};
  const auto text = record->find("arguments").as_string();
  return text && arguments.parse(*text) ? "" : "a call with broken arguments: " + std::string(line);
}

template <class Reader>
std::string check_reader(std::string_view bytes) {
  const Reading whole = read<Reader>(bytes, bytes.size());
  if (whole.outcome == "none") return "no outcome";
  if (!(read<Reader>(bytes, some_cut(bytes)) == whole)) return "a cut changes what is read";
  for (std::size_t at = 0; at < whole.records.size();) {
    const std::size_t end = whole.records.find('\n', at);
    if (end == std::string::npos) return "a record without its end";
    if (std::string problem = check_record(std::string_view(whole.records).substr(at, end - at)); !problem.empty())
      return problem;
    at = end + 1;
  }
  std::string records;
  AnswerWriter out(records, "r");
  Reader reader(out, {});
  reader.read_document(bytes);
  return reader.outcome() ? "" : "no outcome of a document";
}

template <class Mapper>
std::string check_mapper(std::string_view lines, fake::Api api) {
  Mapper mapper({api == fake::Api::kMessages ? "anthropic" : "openai", "http://h/v1"});
  context::ConversationReader reader(context::Framing::kServe);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const auto record = reader.line(lines.substr(at, end - at));
    at = end + 1;
    // The intake begins anew at each end.
    if (!record || !*record || (*record)->kind == context::RecordKind::kEnd) continue;
    if (!mapper.add(**record)) return {};
  }
  if (!mapper.finish("")) return {};
  const std::string body = mapper.take_body("m").text();
  json::Parser parser;
  const auto root = parser.parse(body);
  if (!root) return "a body that is no JSON: " + body;
  for (const std::string& problem : fake::read_request(api, *root).problems) {
    // A tool's schema is its author's, and so are items of kinds that we do not know; the effort is the user's word.
    const bool is_theirs = problem.starts_with("tools[") || problem.ends_with("are unknown") ||
                           problem.find("effort is '") != std::string::npos;
    if (!is_theirs) return problem + "\n" + body;
  }
  return {};
}

}  // namespace

std::string fuzz_sse(std::string_view bytes) {
  const auto whole = events_of(bytes, bytes.size());
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, some_cut(bytes) + 1})
    if (events_of(bytes, piece) != whole) return "a cut changes the events";
  return {};
}

std::string fuzz_responses_reader(std::string_view bytes) { return check_reader<ResponsesReader>(bytes); }
std::string fuzz_messages_reader(std::string_view bytes) { return check_reader<MessagesReader>(bytes); }
std::string fuzz_chat_reader(std::string_view bytes) { return check_reader<ChatReader>(bytes); }

std::string fuzz_responses_request(std::string_view lines) {
  return check_mapper<ResponsesRequest>(lines, fake::Api::kResponses);
}
std::string fuzz_messages_request(std::string_view lines) {
  return check_mapper<MessagesRequest>(lines, fake::Api::kMessages);
}
std::string fuzz_chat_request(std::string_view lines) { return check_mapper<ChatRequest>(lines, fake::Api::kChat); }

}  // namespace magi::fuzz
