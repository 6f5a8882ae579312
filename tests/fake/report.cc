#include "tests/fake/report.h"

#include <algorithm>

namespace magi::fake {
namespace {

using json::Kind;
using json::Node;

// Calls that wait for their result.
class Pairing {
 public:
  explicit Pairing(Report& report) : report_(report) {}

  void call(const std::string& id) {
    if (std::find(seen_.begin(), seen_.end(), id) != seen_.end()) problem(id, "occurs twice");
    seen_.push_back(id);
    open_.push_back(id);
  }

  void result(const std::string& id) {
    const auto found = std::find(open_.begin(), open_.end(), id);
    if (found == open_.end()) {
      const bool known = std::find(seen_.begin(), seen_.end(), id) != seen_.end();
      report_.problem("history", "result for " + id + (known ? ", which has one already" : ", which is no open call"));
      return;
    }
    if (found != open_.begin()) problem(id, "is answered before " + open_.front() + ", which was called first");
    open_.erase(found);
  }

  void close(std::string_view where) {
    for (const std::string& id : open_) problem(id, "has no result " + std::string(where));
    open_.clear();
  }

 private:
  void problem(const std::string& id, const std::string& what) {
    report_.problem("history", "call " + id + " " + what);
  }

  Report& report_;
  std::vector<std::string> seen_, open_;
};

// Counts turns and checks that each call is answered once, before anything else follows.
void walk_steps(Report& report) {
  Pairing pairing(report);
  auto previous = Step::Kind::kOther;
  const std::vector<Step> steps = report.steps;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::kAssistant) {
      if (previous != Step::Kind::kAssistant) {
        ++report.assistant_turns;
        ++report.since_user;
        pairing.close("before the next turn");
      }
      for (const std::string& id : step.ids) pairing.call(id);
    } else if (step.kind == Step::Kind::kResult) {
      for (const std::string& id : step.ids) pairing.result(id);
    } else if (step.kind == Step::Kind::kUser) {
      report.since_user = 0;
      pairing.close("before the next user message");
    }
    if (step.kind != Step::Kind::kOther) previous = step.kind;
  }
  pairing.close("at the end");
  if (previous == Step::Kind::kAssistant && !report.is_paused)
    report.problem("history", "ends with the assistant: nothing is asked");
}

void check_property(const Node& property, std::string_view where, Report& report) {
  if (!property.is(Kind::kObject)) return report.problem(where, "is not a schema object");
  const std::string type = text_of(property, "type");
  const bool composed = property.find("anyOf") || property.find("oneOf") || property.find("allOf") ||
                        property.find("$ref") || property.find("enum") || property.find("const");
  if (!property.find("type") && !composed) report.problem(where, "has no type");
  if (type == "array") {
    if (!property.find("items"))
      report.problem(where, "is an array without items");
    else
      check_property(property.find("items"), std::string(where) + ".items", report);
  }
  if (type == "object" && property.find("properties")) check_schema(property, false, where, report);
}

}  // namespace

void Report::problem(std::string_view where, std::string_view what) {
  problems.push_back(std::string(where) + ": " + std::string(what));
}

Report read_request(Api api, const Node& body) {
  Report report;
  if (!body.is(Kind::kObject)) {
    report.problem("body", "is not an object");
    return report;
  }
  if (json::has_lone_surrogate(body.raw())) report.problem("body", "holds half of a surrogate pair");
  need_strings(body, {"model"}, "body", report);
  if (body.find("stream") && !body.find("stream").as_bool()) report.problem("stream", "is not a boolean");
  switch (api) {
    case Api::kResponses: check_responses(body, report); break;
    case Api::kMessages: check_messages(body, report); break;
    case Api::kChat: check_chat(body, report); break;
  }
  std::vector<std::string> names = report.tool_names;
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) report.problem("tools", "two have one name");
  walk_steps(report);
  return report;
}

std::string text_of(const Node& object, std::string_view key) {
  const Node value = object.find(key);
  return value ? value.as_string().value_or("") : "";
}

std::string at(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

void only_known(const Node& object, std::initializer_list<std::string_view> known, std::string_view where,
                Report& report) {
  std::vector<std::string> seen;
  for (const Node::Member member : object.members()) {
    const std::string key = member.key();
    if (std::find(known.begin(), known.end(), key) == known.end()) report.problem(where, "unknown parameter " + key);
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) report.problem(where, key + " is given twice");
    seen.push_back(key);
  }
}

void need_strings(const Node& object, std::initializer_list<std::string_view> keys, std::string_view where,
                  Report& report) {
  for (const std::string_view key : keys)
    if (text_of(object, key).empty()) report.problem(where, std::string(key) + " is missing or empty");
}

void need_boolean_if_present(const Node& object, std::string_view key, Report& report) {
  const Node value = object.find(key);
  if (value && !value.as_bool()) report.problem(key, "is not a boolean");
}

void one_of_if_present(const Node& object, std::string_view key, std::initializer_list<std::string_view> words,
                       std::string_view where, Report& report) {
  if (!object.find(key)) return;
  const std::string word = text_of(object, key);
  if (std::find(words.begin(), words.end(), word) == words.end())
    report.problem(where, std::string(key) + " is '" + word + "'");
}

void check_chosen_tool(std::string_view name, Report& report) {
  if (std::find(report.tool_names.begin(), report.tool_names.end(), name) == report.tool_names.end())
    report.problem("tool_choice", "names '" + std::string(name) + "', which is not offered");
}

void check_image_data(std::string_view media_type, std::string_view base64, std::string_view where, Report& report) {
  constexpr std::string_view kTypes[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};
  if (std::find(std::begin(kTypes), std::end(kTypes), media_type) == std::end(kTypes))
    report.problem(where, "images of type '" + std::string(media_type) + "' are not read");
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  };
  while (base64.ends_with('=')) base64.remove_suffix(1);
  if (base64.empty() || !std::all_of(base64.begin(), base64.end(), legal))
    report.problem(where, "the image's data is no base64");
  if (base64.size() / 4 * 3 > (5u << 20)) report.problem(where, "the image is larger than 5 MB");
}

void check_image_url(std::string_view url, std::string_view where, Report& report) {
  if (url.starts_with("https://")) return;
  const std::size_t mark = url.find(";base64,");
  if (!url.starts_with("data:") || mark == std::string_view::npos)
    return report.problem(where, "the image's URL is neither https nor data");
  check_image_data(url.substr(5, mark - 5), url.substr(mark + 8), where, report);
}

bool is_plain_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), plain);
}

void check_tool_name(std::string_view name, std::string_view where, Report& report) {
  if (!is_plain_name(name)) report.problem(where, "the name is not 1 to 64 of a-z A-Z 0-9 _ -");
}

void check_schema(const Node& schema, bool strict, std::string_view where, Report& report) {
  if (!schema.is(Kind::kObject)) return report.problem(where, "the schema is not an object");
  if (text_of(schema, "type") != "object") report.problem(where, "the schema's type is not \"object\"");
  const Node properties = schema.find("properties");
  if (properties && !properties.is(Kind::kObject)) return report.problem(where, "properties is not an object");
  std::vector<std::string> names, required;
  for (const Node::Member member : properties.members()) {
    names.push_back(member.key());
    check_property(member.value, std::string(where) + "." + names.back(), report);
  }
  for (const Node name : schema.find("required").elements()) required.push_back(name.as_string().value_or(""));
  for (const std::string& name : required)
    if (std::find(names.begin(), names.end(), name) == names.end())
      report.problem(where, "requires " + name + ", which is no property");
  if (!strict) return;
  if (required.size() != names.size()) report.problem(where, "is strict but does not require every property");
  if (schema.find("additionalProperties").as_bool() != std::optional(false))
    report.problem(where, "is strict but does not forbid additional properties");
}

void check_arguments(const Node& arguments, std::string_view where, Report& report) {
  const auto text = arguments ? arguments.as_string() : std::nullopt;
  if (!text) return report.problem(where, "the arguments are not a string");
  json::Parser parser;
  const auto parsed = parser.parse(*text);
  if (!parsed || !parsed->is(Kind::kObject)) report.problem(where, "the arguments are not one JSON object");
}

}  // namespace magi::fake
