// The opaque items of Chat Completions, which has none of its own: fields of a message or a call that the server which
// sent them wants back.  Made by the reader, understood by the request of the same base URL alone.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/json/node.h"
#include "libcommon/json/writer.h"

namespace magi::provider {

namespace chat_item {
inline constexpr std::string_view kAssistantFields = "assistant_fields";
inline constexpr std::string_view kCallFields = "call_fields";
}  // namespace chat_item

// {"type":"assistant_fields","origin":...,"fields":{"reasoning_content":...}}; `reasoning` is RawText.
inline std::string assistant_fields_item(std::string_view origin, std::string_view reasoning) {
  std::string item;
  json::Writer out(item);
  out.begin_object().key("type").string(chat_item::kAssistantFields).key("origin").string(origin);
  out.key("fields").begin_object().key("reasoning_content").raw("\"" + std::string(reasoning) + "\"");
  out.end_object().end_object();
  return item;
}

// {"type":"call_fields","origin":...,"call_id":...,"fields":{"extra_content":...}}
inline std::string call_fields_item(std::string_view origin, std::string_view call_id, std::string_view extra_json) {
  std::string item;
  json::Writer out(item);
  out.begin_object().key("type").string(chat_item::kCallFields).key("origin").string(origin);
  out.key("call_id").string(call_id).key("fields").begin_object().key("extra_content").raw(extra_json);
  out.end_object().end_object();
  return item;
}

}  // namespace magi::provider
