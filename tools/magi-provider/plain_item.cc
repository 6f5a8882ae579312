#include "tools/magi-provider/plain_item.h"

#include <algorithm>
#include <string_view>

#include "libcommon/base/utf8.h"
#include "libcommon/event/answers.h"

namespace magi::provider {
namespace {

constexpr std::size_t kMaxBytes = 4'000;
constexpr int kMaxDepth = 8;

// Members that say something to a reader; everything else is ids, marks, or bytes for a machine.
constexpr std::string_view kReadable[] = {
    "name",   "server_name", "query", "queries", "code",       "input",   "command", "commands", "arguments",
    "action", "operation",   "title", "url",     "text",       "content", "results", "outputs",  "output",
    "stdout", "stderr",      "logs",  "error",   "error_code", "diff",    "path"};
constexpr std::string_view kReasoning[] = {event::Reasoning::kType, "thinking", "redacted_thinking", "assistant_fields",
                                           "call_fields"};

template <std::size_t N>
bool is_one_of(std::string_view text, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

class Gatherer {
 public:
  void take(std::string_view label, const json::Node& value, int depth) {
    if (text_.size() > kMaxBytes || depth > kMaxDepth) return;
    if (auto text = value.as_string()) return add(label, *text);
    if (value.is(json::Kind::kNumber)) return add(label, value.raw());
    for (const json::Node element : value.elements()) take(label, element, depth + 1);
    // The input of a call has members of its own, whose names nobody knows beforehand.
    const bool any = label == "input" || label == "arguments";
    for (const json::Node::Member member : value.members())
      if (const std::string key = member.key(); any || is_one_of(key, kReadable)) take(key, member.value, depth + 1);
  }

  std::string take_text() { return std::move(text_); }

 private:
  void add(std::string_view label, std::string_view text) {
    if (text.empty()) return;
    text_.append("\n").append(label).append(": ").append(text.substr(0, utf8::floor_boundary(text, kMaxBytes)));
  }

  std::string text_;
};

}  // namespace

std::string plain_text_of_item(const json::Node& item) {
  const std::string type = item.find("type").as_string().value_or("");
  if (type.empty() || is_one_of(type, kReasoning)) return {};
  Gatherer gatherer;
  gatherer.take({}, item, 0);
  std::string text = gatherer.take_text();
  if (text.empty()) return {};
  if (text.size() > kMaxBytes) text = text.substr(0, utf8::floor_boundary(text, kMaxBytes)) + "...";
  return "[" + type + "]" + text;
}

}  // namespace magi::provider
