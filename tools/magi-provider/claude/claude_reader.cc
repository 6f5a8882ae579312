#include "tools/magi-provider/claude/claude_reader.h"

#include "libcommon/json/writer.h"
#include "tools/magi-provider/claude/claude_request.h"

namespace magi::provider {
namespace {

// The handshake of the Model Context Protocol that claude's own client speaks.
constexpr std::string_view kMcpVersion = "2025-06-18";

std::string text_of(const json::Node& message) {
  std::string text;
  for (const json::Node block : message.find("content").elements()) text += block.find("text").as_string().value_or("");
  return text;
}

// What the words of claude mean, beyond what all providers say.
FailureKind kind_of(std::string_view text, std::string_view type, FailureKind otherwise) {
  if (type == "authentication_failed" || type == "oauth_org_not_allowed") return FailureKind::kAuth;
  if (type == "billing_error") return FailureKind::kQuota;
  if (contains_ignoring_case(text, "prompt is too long")) return FailureKind::kOverflow;
  if (contains_ignoring_case(text, "please run /login")) return FailureKind::kAuth;
  if (contains_ignoring_case(text, "hit your") && contains_ignoring_case(text, "limit")) return FailureKind::kQuota;
  if (contains_ignoring_case(text, "usage limit reached")) return FailureKind::kQuota;
  return otherwise;
}

}  // namespace

std::string ClaudeReader::opening() {
  return "{\"type\":\"control_request\",\"request_id\":\"magi-1\",\"request\":{\"subtype\":\"initialize\","
         "\"hooks\":null}}\n";
}

// The reader of events parses in place and wants room behind the text.
void ClaudeReader::feed(std::string_view json) {
  std::string padded(json);
  padded.append(json::kPadding, '\0');
  messages_.on_sse({"message", std::string_view(padded).substr(0, json.size()), false});
}

void ClaudeReader::feed_member(const json::Node& value) {
  if (value) feed(value.raw());
}

void ClaudeReader::take_line(std::string_view line) {
  if (outcome()) return;
  const auto root = parser_.parse(line);
  // What is no record is a message for people: some versions print such.
  if (!root) return;
  const std::string_view type = raw_member(*root, "type");
  if (type == "stream_event") {
    has_events_ = true;
    feed_member(root->find("event"));
  } else if (type == event::Assistant::kType) {
    take_assistant(*root);
  } else if (type == event::User::kType) {
    // It has answered a call itself, so the message with the call is complete.
    if (next_block_ > 0) feed(R"({"type":"message_stop"})");
  } else if (type == event::name::kResult) {
    take_result(*root);
  } else if (type == "system") {
    take_system(*root);
  } else if (type == "control_request") {
    take_control_request(*root);
  } else if (type == "control_response") {
    const json::Node response = root->find("response");
    if (raw_member(response, "subtype") == "success")
      open_ = true;
    else
      fail("claude does not take requests: " + response.find("error").as_string().value_or("no reason given"), {}, {});
  }
}

// A line a block; where events come as well, they have said it already.
void ClaudeReader::take_assistant(const json::Node& root) {
  const json::Node message = root.find("message");
  const bool stands_for_error = raw_member(message, "model") == "<synthetic>" ||
                                root.find("error").is(json::Kind::kString) ||
                                root.find("is_api_error_message").as_bool().value_or(false);
  if (stands_for_error) {
    error_text_ = text_of(message);
    error_type_ = root.find("error").as_string().value_or("");
    return;
  }
  if (has_events_ || !message.is(json::Kind::kObject)) return;
  feed("{\"type\":\"message_start\",\"message\":" + std::string(message.raw()) + "}");
  for (const json::Node block : message.find("content").elements()) {
    const std::string index = std::to_string(next_block_++);
    feed("{\"type\":\"content_block_start\",\"index\":" + index + ",\"content_block\":" + std::string(block.raw()) +
         "}");
    feed("{\"type\":\"content_block_stop\",\"index\":" + index + "}");
  }
}

void ClaudeReader::take_result(const json::Node& root) {
  const std::string subtype = root.find("subtype").as_string().value_or("");
  // An error may come as a success (claude-code#79500).
  const bool failed = root.find("is_error").as_bool().value_or(false) || !error_text_.empty() || subtype != "success";
  if (failed) {
    std::string text = error_text_;
    if (text.empty()) text = root.find("result").as_string().value_or("");
    for (const json::Node error : root.find("errors").elements())
      if (text.empty()) text = error.as_string().value_or("");
    if (text.empty()) text = "claude ended with " + (subtype.empty() ? "no result" : subtype);
    return fail(text, error_type_, root.find("api_error_status").as_int());
  }
  if (!has_events_) {
    std::string end = R"({"type":"message_delta","delta":{"stop_reason":)";
    const json::Node reason = root.find("stop_reason");
    end.append(reason ? reason.raw() : std::string_view("\"end_turn\"")).append("}");
    if (const json::Node usage = root.find("usage")) end.append(",\"usage\":").append(usage.raw());
    feed(end + "}");
  }
  feed(R"({"type":"message_stop"})");
}

void ClaudeReader::take_system(const json::Node& root) {
  if (raw_member(root, "subtype") != "api_retry") return;
  std::string why = root.find("error").as_string().value_or("");
  if (why.empty()) why = root.find("error").find("message").as_string().value_or("the service did not answer");
  retry_ = one_line(why);
}

void ClaudeReader::take_control_request(const json::Node& root) {
  const std::string id = root.find("request_id").as_string().value_or("");
  const json::Node request = root.find("request");
  const std::string_view subtype = raw_member(request, "subtype");
  if (subtype == "mcp_message") return take_mcp_message(id, request.find("message"));
  if (subtype == "can_use_tool")
    return reply(id, R"({"behavior":"deny","message":"tools are run by magi-code","interrupt":true})");
  refuse(id, "not supported");
}

void ClaudeReader::take_mcp_message(const std::string& request_id, const json::Node& message) {
  const std::string_view method = raw_member(message, "method");
  // The call stands in the message already; who asked us runs it, and claude is not needed any more.
  if (method == "tools/call") {
    if (!has_events_) feed(R"({"type":"message_stop"})");
    return;
  }
  std::string answer = R"({"mcp_response":{"jsonrpc":"2.0")";
  if (const json::Node id = message.find("id")) answer.append(",\"id\":").append(id.raw());
  answer += ",\"result\":";
  if (method == "initialize") {
    answer.append(R"({"protocolVersion":")").append(kMcpVersion);
    answer.append(R"(","capabilities":{"tools":{}},"serverInfo":{"name":")").append(kClaudeServer);
    answer.append(R"(","version":")" MAGI_VERSION R"("}})");
  } else if (method == "tools/list") {
    answer.append("{\"tools\":").append(tools_json_).append("}");
  } else {
    answer += "{}";
  }
  reply(request_id, answer + "}}");
}

void ClaudeReader::reply(const std::string& request_id, std::string_view response_json) {
  json::Writer out(replies_);
  out.begin_object().key("type").string("control_response").key("response").begin_object();
  out.key("subtype").string("success").key("request_id").string(request_id).key("response").raw(response_json);
  out.end_object().end_object();
  replies_ += '\n';
}

void ClaudeReader::refuse(const std::string& request_id, std::string_view why) {
  json::Writer out(replies_);
  out.begin_object().key("type").string("control_response").key("response").begin_object();
  out.key("subtype").string("error").key("request_id").string(request_id).key("error").string(why);
  out.end_object().end_object();
  replies_ += '\n';
}

void ClaudeReader::fail(std::string_view text, std::string_view type, std::optional<std::int64_t> status) {
  ErrorDetail detail;
  detail.message = text;
  detail.type = type;
  detail.status = status;
  Failure failure = status ? classify_status(*status, detail) : classify_in_stream(detail);
  failure.kind = kind_of(text, type, failure.kind);
  failure.message = redacted(one_line(text), {});
  failure.http_status = status;
  failure_ = Outcome{std::move(failure), {}};
}

void ClaudeReader::end_of_output(int exit_status, std::string_view complaint) {
  if (outcome()) return;
  if (!error_text_.empty()) return fail(error_text_, error_type_, {});
  if (open_ || has_events_) return messages_.end_of_input();
  fail("claude ended with status " + std::to_string(exit_status) +
           (complaint.empty() ? std::string() : ": " + std::string(complaint)),
       {}, {});
}

}  // namespace magi::provider
