#include "libcommon/tokens/record_cost.h"

#include <string>

#include "libcommon/event/names.h"

namespace magi::tokens {
namespace {

namespace name = event::name;

std::uint64_t text(const Counter& counter, const json::Node& record, std::string_view key) {
  const json::Node node = record.find(key);
  return node.is(json::Kind::kString) ? counter.count_raw(node.raw_string()) : 0;
}

// The JSON text that a provider is sent.
std::uint64_t value(const Counter& counter, const json::Node& node) {
  std::string compact;
  json::append_compact(compact, node.raw());
  return counter.count(compact);
}

std::uint64_t tools(const Counter& counter, const json::Node& definitions) {
  std::uint64_t sum = 0;
  for (const json::Node definition : definitions.elements()) sum += value(counter, definition) + kRecordTokens;
  return sum;
}

std::uint64_t parts(const json::Node& record) {
  std::uint64_t sum = 0;
  for ([[maybe_unused]] const json::Node part : record.find("parts").elements()) sum += kPartTokens;
  return sum;
}

RecordCost message(Kind kind, std::uint64_t tokens, std::uint64_t images = 0) {
  return {{{{kind, tokens + kRecordTokens}, {Kind::kImages, images}}}};
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kInstructions: return "instructions";
    case Kind::kTools: return "tools";
    case Kind::kSummary: return name::kSummary;
    case Kind::kEvidence: return name::kEvidence;
    case Kind::kContext: return name::kContext;
    case Kind::kUser: return name::kUser;
    case Kind::kAssistant: return name::kAssistant;
    case Kind::kProviderItem: return name::kProviderItem;
    case Kind::kToolCall: return name::kToolCall;
    case Kind::kToolResult: return name::kToolResult;
    case Kind::kImages: return "images";
  }
  return "";
}

RecordCost cost_of(const Counter& counter, std::string_view type, const json::Node& record) {
  if (type == name::kToolResult) return message(Kind::kToolResult, text(counter, record, "output"), parts(record));
  if (type == name::kToolCall)
    return message(Kind::kToolCall, text(counter, record, "name") + text(counter, record, "arguments"));
  if (type == name::kAssistant) return message(Kind::kAssistant, text(counter, record, "text"));
  if (type == name::kUser) return message(Kind::kUser, text(counter, record, "text"), parts(record));
  if (type == name::kContext) return message(Kind::kContext, text(counter, record, "text"));
  if (type == name::kSummary) return message(Kind::kSummary, text(counter, record, "text"));
  if (type == name::kEvidence) return message(Kind::kEvidence, text(counter, record, "text"));
  if (type == name::kProviderItem) {
    const json::Node item = record.find("item");
    return message(Kind::kProviderItem, item ? value(counter, item) : 0);
  }
  if (type != name::kRequest) return {};
  std::uint64_t instructions = text(counter, record, "instructions");
  if (instructions) instructions += kRecordTokens;
  return {{{{Kind::kInstructions, instructions}, {Kind::kTools, tools(counter, record.find("tools"))}}}};
}

}  // namespace magi::tokens
