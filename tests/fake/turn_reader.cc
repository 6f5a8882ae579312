#include "tests/fake/turn_reader.h"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace magi::fake {
namespace {

using json::Kind;
using json::Node;

Error bad(const std::string& what) { return make_error(ErrorCode::kBadRecord, "script: ", what); }

std::size_t size_of(const Node& value) {
  return static_cast<std::size_t>(std::max<std::int64_t>(value.as_int().value_or(0), 0));
}

// A string as it is, any other value as its JSON text.
std::string text_or_json(const Node& value) { return value.as_string().value_or(std::string(value.raw())); }

Headers read_headers(const Node& value) {
  Headers headers;
  for (const Node::Member member : value.members()) headers.emplace_back(member.key(), text_or_json(member.value));
  return headers;
}

Result<Fault> read_fault(const Node& node) {
  Fault fault;
  for (const Node::Member member : node.members()) {
    const std::string key = member.key();
    const Node value = member.value;
    if (key == "status")
      fault.status = static_cast<int>(value.as_int().value_or(500));
    else if (key == "body") {
      fault.body = text_or_json(value);
      fault.content_type = value.is(Kind::kString) ? "text/plain" : "application/json";
    } else if (key == "content_type")
      fault.content_type = text_or_json(value);
    else if (key == "retry_after")
      fault.headers.emplace_back("retry-after", text_or_json(value));
    else if (key == "headers") {
      for (auto& header : read_headers(value)) fault.headers.push_back(std::move(header));
    } else if (key == "cut_at")
      fault.cut_at = size_of(value);
    else if (key == "reset")
      fault.reset = value.as_bool().value_or(false);
    else if (key == "stall_ms")
      fault.stall_ms = value.as_double().value_or(0);
    else if (key == "stall_at")
      fault.stall_at = size_of(value);
    else if (key == "inject")
      fault.inject = text_or_json(value);
    else if (key == "inject_at")
      fault.inject_at = size_of(value);
    else if (key == "raw")
      fault.raw = text_or_json(value);
    else if (key == "times")
      fault.times = static_cast<int>(value.as_int().value_or(1));
    else
      return bad("unknown key fault." + key);
  }
  return fault;
}

Result<void> read_faults(const Node& value, Turn& turn) {
  if (value.is(Kind::kObject)) {
    MAGI_TRY(Fault fault, read_fault(value));
    turn.faults.push_back(std::move(fault));
    return {};
  }
  for (const Node entry : value.elements()) {
    MAGI_TRY(Fault fault, read_fault(entry));
    turn.faults.push_back(std::move(fault));
  }
  return {};
}

// {"any": {NAME: ARGUMENTS, ...}}: the first NAME that the request offers.
void resolve_any(const Node& choices, const std::vector<std::string>& offered, Call& call) {
  call.name = "no_such_tool";
  call.arguments = "{}";
  for (const Node::Member choice : choices.members()) {
    const std::string name = choice.key();
    if (std::find(offered.begin(), offered.end(), name) == offered.end()) continue;
    call.name = name;
    call.arguments = choice.value.raw();
    return;
  }
}

Result<Call> read_call(const Node& node, std::size_t position, const TurnContext& context) {
  Call call;
  call.id = "call_" + std::to_string(context.assistant_turns) + "_" + std::to_string(position);
  call.arguments = "{}";
  for (const Node::Member member : node.members()) {
    const std::string key = member.key();
    const Node value = member.value;
    if (key == "id")
      call.id = text_or_json(value);
    else if (key == "name")
      call.name = text_or_json(value);
    else if (key == "args")
      call.arguments = value.raw();
    else if (key == "arguments")
      call.arguments = text_or_json(value);
    else if (key == "input")
      call.arguments = text_or_json(value), call.custom = true;
    else if (key == "any")
      resolve_any(value, context.tool_names, call);
    else
      return bad("unknown key calls." + key);
  }
  return call;
}

Result<void> read_text_key(const std::string& key, const Node& value, const TurnContext& context, Turn& turn) {
  if (key == "text")
    turn.text = text_or_json(value);
  else if (key == "thinking")
    turn.thinking = text_or_json(value);
  else if (key == "finish")
    turn.finish = text_or_json(value);
  else if (key == "content_type")
    turn.content_type = text_or_json(value);
  else if (key == "stream_error")
    turn.stream_error = value.raw();
  else if (key == "sse")
    turn.sse = text_or_json(value);
  else if (key == "sse_file") {
    MAGI_TRY(turn.sse, read_file(context.folder + text_or_json(value)));
  } else if (key == "headers")
    turn.headers = read_headers(value);
  else
    return bad("unknown key " + key);
  return {};
}

Result<void> read_pacing_key(const std::string& key, const Node& value, const TurnContext& context, Turn& turn) {
  if (key == "chunk")
    turn.chunk = std::max<std::size_t>(size_of(value), 1);
  else if (key == "delay")
    turn.delay_ms = value.as_double().value_or(0);
  else if (key == "split")
    turn.split = size_of(value);
  else if (key == "split_delay")
    turn.split_delay_ms = value.as_double().value_or(0);
  else if (key == "split_at") {
    if (value.is(Kind::kNumber)) turn.split_at.push_back(size_of(value));
    for (const Node entry : value.elements()) turn.split_at.push_back(size_of(entry));
  } else if (key == "line_end") {
    const std::string name = text_or_json(value);
    turn.line_end = name == "crlf" ? LineEnd::kCrLf : name == "cr" ? LineEnd::kCr : LineEnd::kLf;
  } else if (key == "framing") {
    const std::string name = text_or_json(value);
    turn.framing = name == "length" ? Framing::kLength : name == "close" ? Framing::kClose : Framing::kChunked;
  } else if (key == "event_lines")
    turn.event_lines = value.as_bool().value_or(true);
  else if (key == "terminal")
    turn.terminal = value.as_bool().value_or(true);
  else
    return read_text_key(key, value, context, turn);
  return {};
}

}  // namespace

Result<Turn> read_turn(const Node& node, const TurnContext& context) {
  Turn turn;
  if (!node.is(Kind::kObject)) return bad("a turn is not an object");
  for (const Node::Member member : node.members()) {
    const std::string key = member.key();
    const Node value = member.value;
    if (key == "calls") {
      for (const Node entry : value.elements()) {
        MAGI_TRY(Call call, read_call(entry, turn.calls.size(), context));
        turn.calls.push_back(std::move(call));
      }
    } else if (key == "fault") {
      MAGI_CHECK(read_faults(value, turn));
    } else if (key == "usage") {
      turn.usage = !value.is(Kind::kNull);
      turn.input_tokens = value.find("input").as_int();
      turn.output_tokens = value.find("output").as_int();
    } else if (key != "repeat" && key != "contains" && key != "comment") {
      MAGI_CHECK(read_pacing_key(key, value, context, turn));
    }
  }
  return turn;
}

Result<std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) return errno_error("cannot open " + quoted(path), errno);
  std::string text;
  char buffer[65536];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) text.append(buffer, n);
  return text;
}

}  // namespace magi::fake
