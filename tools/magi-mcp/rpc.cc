#include "tools/magi-mcp/rpc.h"

#include "libcommon/json/writer.h"

namespace magi::mcp {
namespace {

constexpr std::size_t kLongestId = 256, kLongestMethod = 128, kLongestError = 2000;

Message invalid(std::string_view why) {
  Message message;
  message.error = why;
  return message;
}

void read_error(const json::Node& error, Message& message) {
  message.kind = Message::Kind::kError;
  message.code = error.find("code").as_int().value_or(0);
  message.error = error.find("message").as_string().value_or("an error without a message").substr(0, kLongestError);
}

json::Writer& begin(json::Writer& out) { return out.begin_object().key("jsonrpc").string("2.0"); }

}  // namespace

Message read_message(const json::Node& node) {
  if (!node.is(json::Kind::kObject)) return invalid("not an object");
  if (node.find("jsonrpc").as_string() != "2.0") return invalid("not JSON-RPC 2.0");
  Message message;
  const json::Node id = node.find("id");
  const bool has_id = id && !id.is(json::Kind::kNull);
  if (has_id && !id.is(json::Kind::kNumber) && !id.is(json::Kind::kString)) return invalid("an id of another type");
  if (has_id && id.raw().size() > kLongestId) return invalid("an id of " + std::to_string(id.raw().size()) + " bytes");
  if (const auto method = node.find("method").as_string()) {
    if (method->empty() || method->size() > kLongestMethod) return invalid("a method without a usable name");
    message.kind = has_id ? Message::Kind::kRequest : Message::Kind::kNotification;
    message.method = *method;
    if (has_id) message.raw_id = id.raw();
    message.params = node.find("params");
    return message;
  }
  if (has_id) message.id = id.as_int();
  if (const json::Node result = node.find("result")) {
    message.kind = Message::Kind::kResult;
    message.result = result;
  } else if (const json::Node error = node.find("error"); error.is(json::Kind::kObject)) {
    read_error(error, message);
  } else {
    return invalid("neither request nor answer");
  }
  if (!has_id && message.kind == Message::Kind::kResult) return invalid("an answer without an id");
  return message;
}

std::string request(std::int64_t id, std::string_view method, std::string_view params) {
  std::string out;
  json::Writer writer(out);
  begin(writer).key("id").integer(id).key("method").string(method);
  if (!params.empty()) writer.key("params").raw(params);
  writer.end_object();
  return out;
}

std::string notification(std::string_view method, std::string_view params) {
  std::string out;
  json::Writer writer(out);
  begin(writer).key("method").string(method);
  if (!params.empty()) writer.key("params").raw(params);
  writer.end_object();
  return out;
}

std::string reply(std::string_view raw_id, std::string_view result) {
  std::string out;
  json::Writer writer(out);
  begin(writer).key("id").raw(raw_id).key("result").raw(result).end_object();
  return out;
}

std::string error_reply(std::string_view raw_id, std::int64_t code, std::string_view message) {
  std::string out;
  json::Writer writer(out);
  begin(writer).key("id").raw(raw_id).key("error").begin_object();
  writer.key("code").integer(code).key("message").string(message).end_object().end_object();
  return out;
}

}  // namespace magi::mcp
