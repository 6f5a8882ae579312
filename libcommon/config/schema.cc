#include "libcommon/config/schema.h"

#include "libcommon/config/document.h"
#include "libcommon/config/keys.h"
#include "libcommon/os/atomic_file.h"

namespace magi::config {
namespace {

json::Object of_key(const Key& key) {
  json::Object out{{"description", key.meaning}};
  if (!key.standard.empty())
    if (auto standard = json::parse_value(key.standard)) out["default"] = *std::move(standard);
  switch (key.kind) {
    case Kind::kBoolean: out["type"] = "boolean"; break;
    case Kind::kIntegerOrNull: out["type"] = json::Array{"integer", "null"}; break;
    case Kind::kInteger: out["type"] = "integer"; break;
    case Kind::kText: out["type"] = "string"; break;
    case Kind::kTexts:
      out["type"] = "array";
      out["items"] = json::Object{{"type", "string"}};
      break;
  }
  if (key.kind == Kind::kInteger || key.kind == Kind::kIntegerOrNull) {
    out["minimum"] = key.least;
    out["maximum"] = key.most;
  }
  if (key.form == Form::kChoice) {
    json::Array choices;
    for (const std::string_view choice : split(key.choices, '|')) choices.emplace_back(choice);
    out["enum"] = std::move(choices);
  }
  return out;
}

// Where the schema of member `name` of the object schema `parent` stands; "*" is every member.
json::Value& member(json::Object& parent, std::string_view name) {
  parent.emplace("type", "object");
  if (name == "*") return parent.emplace("additionalProperties", json::Object()).first->value();
  json::Value& properties = parent.emplace("properties", json::Object()).first->value();
  return properties.get_object().emplace(name, json::Object()).first->value();
}

}  // namespace

std::string settings_schema() {
  json::Value root(
      json::Object{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "magi-code settings"}});
  for (const Key& key : keys()) {
    json::Value* at = &root;
    for (const std::string_view name : split(key.path, '.')) at = &member(at->get_object(), name);
    *at = of_key(key);
  }
  return json::print_indented(root);
}

Result<void> refresh_schema(const std::string& file) {
  constexpr std::size_t kMostBytes = 256 * 1024;
  const std::size_t slash = file.rfind('/');
  const std::string schema = settings_schema();
  const std::string name = file.substr(slash + 1);
  MAGI_TRY(const os::Dir folder, os::Dir::open_top(file.substr(0, slash), os::IfMissing::kCreate));
  const auto present = os::read_file(folder, name, kMostBytes);
  if (present && *present == schema) return {};
  return os::replace_file(folder, name, schema, os::Sync::kNone);
}

}  // namespace magi::config
