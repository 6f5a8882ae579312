#include "tools/magi-tool/arguments.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libcommon/json/node.h"
#include "libcommon/json/writer.h"

namespace magi::toolbox {
namespace {

// The members of an edit, and where each is kept.
constexpr std::pair<std::string_view, std::string Edit::*> kEditMembers[] = {{"old_text", &Edit::old_text},
                                                                             {"new_text", &Edit::new_text},
                                                                             {"anchor", &Edit::anchor},
                                                                             {"end_anchor", &Edit::end_anchor},
                                                                             {"insert", &Edit::insert}};

std::string_view wanted(Type type) {
  switch (type) {
    case Type::kString: return "a string";
    case Type::kInteger: return "a whole number from 1";
    case Type::kBoolean: return "true or false";
    case Type::kStrings: return "a list of strings, not empty";
    case Type::kEdits: return "a list of {old_text, new_text} or {anchor, end_anchor or insert, new_text}, not empty";
  }
  return "";
}

template <class... Parts>
Error wrong(const Parts&... parts) {
  return make_error(ErrorCode::kUsage, parts...);
}

// Members known, each once and a string; new_text and one of old_text and anchor are there.
std::optional<Edit> read_edit(const json::Node& node) {
  if (!node.is(json::Kind::kObject)) return std::nullopt;
  Edit edit;
  unsigned seen = 0;  // a bit a member, by its place
  for (const json::Node::Member member : node.members()) {
    auto text = member.value.as_string();
    unsigned bit = 1;
    const auto* const end = std::end(kEditMembers);
    const auto* known = std::begin(kEditMembers);
    for (; known != end && !member.is(known->first); ++known) bit <<= 1;
    if (!text || known == end || (seen & bit) != 0) return std::nullopt;
    seen |= bit;
    edit.*known->second = *std::move(text);
  }
  constexpr unsigned kOld = 1, kNew = 2, kAnchor = 4, kEnd = 8, kInsert = 16;
  const bool by_text = seen == (kOld | kNew);
  const bool by_anchor = (seen & kOld) == 0 && (seen & kNew) != 0 && (seen & kAnchor) != 0 &&
                         (seen & (kEnd | kInsert)) != (kEnd | kInsert);
  if (!by_text && !by_anchor) return std::nullopt;
  if ((seen & kInsert) != 0 && edit.insert != "before" && edit.insert != "after") return std::nullopt;
  return edit;
}

template <class T, class Read>
std::optional<std::vector<T>> read_list(const json::Node& node, Read read) {
  if (!node.is(json::Kind::kArray)) return std::nullopt;
  std::vector<T> list;
  for (const json::Node element : node.elements()) {
    std::optional<T> one = read(element);
    if (!one) return std::nullopt;
    list.push_back(*std::move(one));
  }
  if (list.empty()) return std::nullopt;
  return list;
}

}  // namespace

struct ArgumentReader {
  std::span<const Parameter> parameters;
  Arguments arguments;
  std::string key_sent;  // the name under which the path came: models trained on other tools say file_path

  // False when the value is of another type.
  bool store(const Parameter& parameter, const json::Node& node) {
    Arguments::Entry entry;
    entry.parameter = &parameter;
    const auto keep = [](auto value, auto& member) {
      if (value) member = *std::move(value);
      return value.has_value();
    };
    const auto fits = [&] {
      switch (parameter.type) {
        case Type::kString: return keep(node.as_string(), entry.text);
        case Type::kInteger: return keep(node.as_int(), entry.integer) && entry.integer >= 1;
        case Type::kBoolean: return keep(node.as_bool(), entry.flag);
        case Type::kStrings:
          return keep(read_list<std::string>(node, [](const json::Node& element) { return element.as_string(); }),
                      entry.texts);
        case Type::kEdits: return keep(read_list<Edit>(node, read_edit), entry.edits);
      }
      return false;
    };
    if (!fits()) return false;
    arguments.entries_.push_back(std::move(entry));
    return true;
  }

  Result<void> add(const json::Node::Member& member) {
    std::string key = member.key();
    const auto is_key = [&](const Parameter& one) { return one.name == key; };
    const bool alias =
        (key == "file_path" || key == "filePath") && std::none_of(parameters.begin(), parameters.end(), is_key);
    const std::string sent = key;
    if (alias) key = "path";
    const auto found = std::find_if(parameters.begin(), parameters.end(), is_key);
    if (found == parameters.end()) return unknown(sent);
    if (arguments.has(key)) {
      // A model that gives both names means the same file.
      const std::string* const first = arguments.text(key);
      if (sent != key_sent && first != nullptr && member.value.as_string() == *first) return {};
      return wrong("argument ", quoted(sent), " is given twice");
    }
    if (key == "path") key_sent = sent;
    if (!store(*found, member.value)) return wrong("argument ", quoted(key), " must be ", wanted(found->type));
    if (found->choices.empty()) return {};
    const std::string& value = *arguments.text(key);
    if (std::find(found->choices.begin(), found->choices.end(), value) != found->choices.end()) return {};
    std::string all;
    for (const std::string_view choice : found->choices) all.append(all.empty() ? "" : ", ").append(choice);
    return wrong("argument ", quoted(key), " must be one of ", all);
  }

  Error unknown(const std::string& key) const {
    std::string known;
    for (const Parameter& one : parameters) known.append(known.empty() ? "" : ", ").append(one.name);
    return wrong("unknown argument ", quoted(key), "; known are: ", known);
  }
};

Result<Arguments> Arguments::parse(std::string_view json, std::span<const Parameter> parameters) {
  ArgumentReader reader{parameters, {}, {}};
  json::Parser parser;
  if (json.find_first_not_of(" \t\r\n") != std::string_view::npos) {
    const Result<json::Node> root = parser.parse(json);
    if (!root) return wrong("the arguments are not valid JSON: ", root.error().what);
    if (!root->is(json::Kind::kObject)) return wrong("the arguments are not a JSON object");
    for (const json::Node::Member member : root->members()) MAGI_CHECK(reader.add(member));
  }
  for (const Parameter& one : parameters)
    if (one.required && !reader.arguments.has(one.name)) return wrong("argument ", quoted(one.name), " is missing");
  return std::move(reader.arguments);
}

const Arguments::Entry* Arguments::find(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (entry.parameter->name == name) return &entry;
  return nullptr;
}

const std::string* Arguments::text(std::string_view name) const {
  const Entry* const entry = find(name);
  return entry ? &entry->text : nullptr;
}

std::optional<std::int64_t> Arguments::integer(std::string_view name) const {
  const Entry* const entry = find(name);
  return entry ? std::optional(entry->integer) : std::nullopt;
}

bool Arguments::flag(std::string_view name) const {
  const Entry* const entry = find(name);
  return entry && entry->flag;
}

const std::vector<std::string>* Arguments::texts(std::string_view name) const {
  const Entry* const entry = find(name);
  return entry ? &entry->texts : nullptr;
}

const std::vector<Edit>* Arguments::edits(std::string_view name) const {
  const Entry* const entry = find(name);
  return entry ? &entry->edits : nullptr;
}

namespace {

void write_type(json::Writer& out, const Parameter& parameter) {
  const auto type = [&](std::string_view name) { out.key("type").string(name); };
  const auto string_items = [&] { out.key("items").begin_object().key("type").string("string").end_object(); };
  switch (parameter.type) {
    case Type::kString: type("string"); break;
    case Type::kInteger: type("integer"); break;
    case Type::kBoolean: type("boolean"); break;
    case Type::kStrings:
      type("array");
      string_items();
      break;
    case Type::kEdits:
      type("array");
      out.key("items").begin_object().key("type").string("object").key("properties").begin_object();
      for (const auto& [name, member] : kEditMembers) {
        out.key(name).begin_object().key("type").string("string");
        if (member == &Edit::insert) out.key("enum").begin_array().string("before").string("after").end_array();
        out.end_object();
      }
      out.end_object().key("required").begin_array().string("new_text").end_array().end_object();
      break;
  }
  if (parameter.choices.empty()) return;
  out.key("enum").begin_array();
  for (const std::string_view choice : parameter.choices) out.string(choice);
  out.end_array();
}

}  // namespace

std::string parameters_schema(std::span<const Parameter> parameters) {
  std::string schema;
  json::Writer out(schema);
  out.begin_object().key("type").string("object").key("properties").begin_object();
  for (const Parameter& parameter : parameters) {
    out.key(parameter.name).begin_object();
    write_type(out, parameter);
    if (!parameter.description.empty()) out.key("description").string(parameter.description);
    out.end_object();
  }
  out.end_object();
  if (std::any_of(parameters.begin(), parameters.end(), [](const Parameter& one) { return one.required; })) {
    out.key("required").begin_array();
    for (const Parameter& parameter : parameters)
      if (parameter.required) out.string(parameter.name);
    out.end_array();
  }
  out.key("additionalProperties").boolean(false).end_object();
  return schema;
}

}  // namespace magi::toolbox
