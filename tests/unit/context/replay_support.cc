#include "tests/unit/context/replay_support.h"

#include <sys/mman.h>
#include <unistd.h>

#include <deque>
#include <fstream>
#include <sstream>

#include "libcommon/context/conversation_reader.h"
#include "libcommon/context/file_lines.h"
#include "libcommon/context/session_scan.h"
#include "libcommon/context/stream_renderer.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"

namespace magi::context::test {
namespace {

std::string quote(std::string_view text) {
  std::string out;
  json::append_quoted(out, text);
  return out;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

Result<Replayed> try_replay(int fd, std::string_view until) {
  Replayed replayed;
  ReplayIndex index;
  MAGI_TRY(const SessionScan scan, scan_session(fd, until, index));
  replayed.notices = scan.notices;
  append_conversation(replayed.stream, index, "");
  const std::size_t body = replayed.stream.size();
  FileLines lines(fd, 0);
  StreamRenderer renderer(index, lines);
  for (std::size_t at = 0; at < index.items().size();) {
    MAGI_TRY(at, renderer.append(at, replayed.stream));
  }
  replayed.records = lines_of(std::string_view(replayed.stream).substr(body));
  replayed.end = {renderer.records(), "sha256:" + sha256_hex(replayed.stream), scan.read};
  event::append_record(replayed.stream, replayed.end);
  return replayed;
}

}  // namespace

std::string line(std::string_view event_type, std::string_view event_id, std::string_view payload) {
  std::string out = "{\"event_type\":" + quote(event_type) + ",\"event_id\":" + quote(event_id);
  out += ",\"timestamp\":\"2026-11-30T10:00:00.000Z\",\"session_id\":\"s1\",\"cwd\":\"/project\",\"payload\":";
  return out.append(payload) + "}\n";
}

std::string user(std::string_view turn, std::string_view text) {
  return line("user_input", "a1", "{\"turn_id\":" + quote(turn) + ",\"text\":" + quote(text) + "}");
}
std::string assistant(std::string_view turn, std::string_view text) {
  return line("assistant_output", "a2",
              "{\"turn_id\":" + quote(turn) + ",\"text\":" + quote(text) + ",\"status\":\"completed\"}");
}
std::string call(std::string_view turn, std::string_view call_id) {
  return line(
      "tool_call", "a3",
      "{\"turn_id\":" + quote(turn) + ",\"call_id\":" + quote(call_id) + ",\"name\":\"read\",\"arguments\":\"{}\"}");
}
std::string result(std::string_view turn, std::string_view call_id, std::string_view output) {
  return line("tool_result", "a4",
              "{\"turn_id\":" + quote(turn) + ",\"call_id\":" + quote(call_id) +
                  ",\"result_id\":\"r\",\"status\":\"success\",\"output\":" + quote(output) + "}");
}
std::string turn_end(std::string_view turn, std::string_view status) {
  return line("turn_status", "a5", "{\"turn_id\":" + quote(turn) + ",\"status\":" + quote(status) + "}");
}
std::string checkpoint(int generation, std::string_view summary) {
  return line("compaction", "a6",
              "{\"summary\":" + quote(summary) + ",\"generation\":" + std::to_string(generation) +
                  ",\"archive\":{\"path\":\".history/s1/0.jsonl\",\"bytes\":1,\"sha256\":\"" + std::string(64, '0') +
                  "\"},\"execution_effects\":{\"mutations\":1}}");
}

std::string Replayed::outline() const {
  std::string out;
  json::Parser parser;
  for (const std::string& record : records) {
    const json::Node node = *parser.parse(record);
    out += *event::record_type(node);
    for (const char* key : {"call_id", "text", "output", "kind"})
      if (auto value = node.find(key).as_string()) out += " " + value->substr(0, 40);
    out += "\n";
  }
  return out;
}

Replayed replay(std::string_view session, std::string_view until) {
  const os::Fd fd(::memfd_create("session", MFD_CLOEXEC));
  Replayed failed;
  if (!os::write_all(fd.get(), session) || ::lseek(fd.get(), 0, SEEK_SET) != 0) return failed.error = "memfd", failed;
  auto replayed = try_replay(fd.get(), until);
  if (replayed) return *std::move(replayed);
  failed.error = replayed.error().what;
  return failed;
}

std::string complaint(const std::string& stream) {
  ConversationReader reader(Framing::kSingle);
  json::Parser parser;
  std::deque<std::string> waiting;  // calls of the group without their result
  bool answering = false;
  std::int64_t items = -1;
  std::size_t offset = 0;
  if (stream.find('\r') != std::string::npos) return "a carriage return";
  for (const std::string& text : lines_of(stream)) {
    auto record = reader.line(text);
    if (!record) return record.error().what;
    if (!*record) return "a line that is no record";
    const json::Node& root = (*record)->root;
    const RecordKind kind = (*record)->kind;
    if (kind == RecordKind::kToolCall) {
      if (answering && !waiting.empty()) return "a call among results";
      answering = false;
      waiting.push_back(*root.find("call_id").as_string());
    } else if (kind == RecordKind::kToolResult) {
      answering = true;
      if (waiting.empty() || waiting.front() != root.find("call_id").as_string()) return "a result out of place";
      waiting.pop_front();
      if (!event::parse_record<event::ToolResult>(root)) return "a result that cannot be read";
    } else if (!waiting.empty()) {
      return "a call without its result";
    }
    if (kind == RecordKind::kUser && !event::parse_record<event::User>(root)) return "a user that cannot be read";
    if (kind == RecordKind::kAssistant && !event::parse_record<event::Assistant>(root)) return "an assistant";
    if (kind == RecordKind::kEnd) {
      if (root.find("items").as_int() != items) return "a wrong count";
      if (root.find("digest").as_string() != "sha256:" + sha256_hex(std::string_view(stream).substr(0, offset)))
        return "a wrong digest";
    }
    offset += text.size() + 1;
    ++items;
  }
  auto finished = reader.finish();
  return finished ? "" : finished.error().what;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace magi::context::test
