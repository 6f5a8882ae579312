#include "tests/unit/magi-provider/oracle.h"

#include <algorithm>
#include <map>

#include "libcommon/base/utf8.h"
#include "libcommon/json/node.h"

namespace magi::provider {
namespace {

using json::Kind;
using json::Node;

// The data of each event, in order.
std::vector<std::string> payloads(std::string_view body) {
  std::string text;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (body[at] == '\r' && at + 1 < body.size() && body[at + 1] == '\n') continue;
    text += body[at] == '\r' ? '\n' : body[at];
  }
  std::vector<std::string> all;
  std::string data;
  text += "\n\n";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("data:"))
      data += (data.empty() ? "" : "\n") + line.substr(line.size() > 5 && line[5] == ' ' ? 6 : 5);
    else if (line.empty() && !data.empty())
      all.push_back(std::exchange(data, {}));
  }
  return all;
}

// Calls `take` with each payload that is JSON, until it says that the stream is over.
template <class Take>
void each(std::string_view body, const Take& take) {
  json::Parser parser;
  for (const std::string& payload : payloads(body)) {
    if (payload.starts_with("[DONE]")) return;
    if (const auto value = parser.parse(utf8::is_valid(payload) ? payload : utf8::sanitize(payload)))
      if (!take(*value)) return;
  }
}

std::string str(const Node& object, std::string_view key) { return object.find(key).as_string().value_or(""); }

struct Assembled {
  std::string name, arguments;
};

// Those whose arguments are JSON.
std::vector<SaidCall> whole(const std::vector<Assembled>& calls, bool last_was_cut) {
  std::vector<SaidCall> said;
  json::Parser parser;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    if (last_was_cut && at + 1 == calls.size()) continue;
    const std::string& text = calls[at].arguments;
    if (text.empty() || parser.parse(text)) said.push_back({calls[at].name, text.empty() ? "{}" : compact(text)});
  }
  return said;
}

void take_item(const Node& item, Said& said, std::vector<Assembled>& calls) {
  if (str(item, "type") == "function_call") calls.push_back({str(item, "name"), str(item, "arguments")});
  if (str(item, "type") != "message") return;
  for (const Node part : item.find("content").elements()) said.text += str(part, "text") + str(part, "refusal");
}

}  // namespace

std::string compact(std::string_view json) {
  json::Parser parser;
  if (!parser.parse(json)) return std::string(json);
  std::string text;
  json::append_compact(text, json);
  return text;
}

Said responses_say(std::string_view body) {
  Said said;
  std::vector<Assembled> calls;
  bool any_item = false, ended = false;
  each(body, [&](const Node& event) {
    const std::string type = str(event, "type");
    if (type == "error" || type == "response.failed") {
      calls.clear();
      return false;
    }
    if (type == "response.output_item.done") {
      any_item = true;
      take_item(event.find("item"), said, calls);
    }
    const Node response = event.find("response");
    if (type != "response.completed" && type != "response.incomplete" && type != "response.done") return true;
    said.input_tokens = response.find("usage").find("input_tokens").as_int();
    said.output_tokens = response.find("usage").find("output_tokens").as_int();
    ended = true;
    if (!any_item)
      for (const Node item : response.find("output").elements()) take_item(item, said, calls);
    return false;
  });
  // Calls of an answer that was cut are not believed.
  if (ended) said.calls = whole(calls, false);
  return said;
}

Said messages_say(std::string_view body) {
  Said said;
  struct Block {
    bool is_call;
    Assembled call;
  };
  std::vector<std::pair<std::int64_t, Block>> blocks;
  std::string id, stop;
  std::int64_t fresh = 0, read = 0, written = 0, output = 0;
  const auto take_usage = [&](const Node& usage) {
    fresh = usage.find("input_tokens").as_int().value_or(fresh);
    read = usage.find("cache_read_input_tokens").as_int().value_or(read);
    written = usage.find("cache_creation_input_tokens").as_int().value_or(written);
    output = usage.find("output_tokens").as_int().value_or(output);
    if (usage.is(Kind::kObject)) said.input_tokens = fresh + read + written, said.output_tokens = output;
  };
  const auto block_at = [&](const Node& event) -> Block* {
    const auto index = event.find("index").as_int().value_or(0);
    for (auto at = blocks.rbegin(); at != blocks.rend(); ++at)
      if (at->first == index) return &at->second;
    return nullptr;
  };
  each(body, [&](const Node& event) {
    const std::string type = str(event, "type");
    if (type == "message_start") {
      if (!id.empty() && id != str(event.find("message"), "id")) blocks.clear();
      id = str(event.find("message"), "id");
      take_usage(event.find("message").find("usage"));
    } else if (type == "content_block_start") {
      const Node content = event.find("content_block");
      const bool is_call = str(content, "type") == "tool_use";
      const Node input = content.find("input");
      const bool given = input.is(Kind::kObject) && input.raw() != "{}";
      blocks.push_back({event.find("index").as_int().value_or(0),
                        {is_call, {str(content, "name"), is_call && given ? std::string(input.raw()) : ""}}});
      if (str(content, "type") == "text") said.text += str(content, "text");
    } else if (type == "content_block_delta") {
      const Node delta = event.find("delta");
      if (str(delta, "type") == "text_delta") said.text += str(delta, "text");
      if (Block* block = block_at(event); block && str(delta, "type") == "input_json_delta")
        block->call.arguments += str(delta, "partial_json");
    } else if (type == "message_delta") {
      if (const std::string reason = str(event.find("delta"), "stop_reason"); !reason.empty()) stop = reason;
      take_usage(event.find("usage"));
    } else if (type == "message_stop") {
      return false;
    }
    return true;
  });
  std::vector<Assembled> calls;
  for (const auto& [index, block] : blocks)
    if (block.is_call) calls.push_back(block.call);
  const bool last_is_call = !blocks.empty() && blocks.back().second.is_call;
  if (stop != "refusal") said.calls = whole(calls, stop == "max_tokens" && last_is_call);
  return said;
}

Said chat_says(std::string_view body) {
  Said said;
  std::vector<Assembled> calls;
  std::map<std::string, std::size_t> by_key;
  std::string finish;
  bool failed = false;
  const auto take_content = [&](const Node& content) {
    said.text += content.as_string().value_or("");
    for (const Node part : content.elements()) said.text += str(part, "text");
  };
  const auto take_usage = [&](const Node& usage) {
    if (!usage.is(Kind::kObject)) return;
    said.input_tokens = usage.find("prompt_tokens").as_int();
    said.output_tokens = usage.find("completion_tokens").as_int();
  };
  each(body, [&](const Node& chunk) {
    if (const Node error = chunk.find("error"); error && !error.is(Kind::kNull)) failed = true;
    if (failed) return false;
    take_usage(chunk.find("usage"));
    take_usage(chunk.find("x_groq").find("usage"));
    for (const Node choice : chunk.find("choices").elements()) {
      if (choice.find("index").as_int().value_or(0) != 0) continue;
      take_usage(choice.find("usage"));
      const Node delta = choice.find("delta");
      take_content(delta.find("content"));
      said.text += str(delta, "refusal");
      for (const Node call : delta.find("tool_calls").elements()) {
        const auto index = call.find("index").as_int();
        std::string key = index ? std::to_string(*index) : str(call, "id");
        if (key.empty()) key = calls.empty() ? "0" : by_key.rbegin()->first;
        if (!by_key.count(key)) {
          by_key[key] = calls.size();
          calls.emplace_back();
        }
        Assembled& slot = calls[by_key[key]];
        const Node function = call.find("function");
        if (slot.name.empty()) slot.name = str(function, "name");
        const Node arguments = function.find("arguments");
        slot.arguments +=
            arguments.is(Kind::kObject) ? std::string(arguments.raw()) : arguments.as_string().value_or("");
      }
      if (const std::string reason = str(choice, "finish_reason"); !reason.empty()) finish = reason;
    }
    return true;
  });
  if (!failed) said.calls = whole(calls, finish == "length" && !calls.empty());
  return said;
}

}  // namespace magi::provider
