#include "tools/magi-mcp/definitions.h"

#include <algorithm>

#include "libcommon/base/error.h"
#include "libcommon/base/utf8.h"
#include "libcommon/digest/sha256.h"
#include "libcommon/json/writer.h"

namespace magi::mcp {
namespace {

constexpr std::string_view kNoParameters = R"({"type":"object","properties":{}})";

// Text for a model: no control characters but LF and TAB.
std::string plain(std::string text, std::size_t most_bytes) {
  if (text.size() > most_bytes) text.resize(utf8::floor_boundary(text, most_bytes));
  std::erase_if(text,
                [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f; });
  return text;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

void read_tool(const json::Node& entry, std::vector<RemoteTool>& tools, std::vector<std::string>& remarks) {
  RemoteTool tool;
  const auto name = entry.find("name").as_string();
  if (!name || name->empty()) return remarks.push_back("a tool without a name is left out");
  if (name->size() > kLongestToolName)
    return remarks.push_back("a tool with a name of " + std::to_string(name->size()) + " bytes is left out");
  tool.name = *name;
  const auto refuse = [&](const std::string& why) {
    remarks.push_back("tool " + quoted(tool.name) + " is left out: " + why);
  };
  if (tools.size() >= kMostTools) return refuse("the server has more than " + std::to_string(kMostTools));
  if (std::any_of(tools.begin(), tools.end(), [&](const RemoteTool& one) { return one.name == tool.name; }))
    return refuse("the name is taken");
  tool.description = plain(entry.find("description").as_string().value_or(""), kLongestDescription);
  if (tool.description.empty())
    tool.description = plain(entry.find("title").as_string().value_or(""), kLongestDescription);
  const json::Node schema = entry.find("inputSchema");
  if (!schema || schema.is(json::Kind::kNull)) {
    tool.schema = kNoParameters;
  } else {
    if (!schema.is(json::Kind::kObject)) return refuse("its schema is no object");
    if (schema.raw().size() > kLargestSchema)
      return refuse("its schema has " + std::to_string(schema.raw().size()) + " bytes");
    if (schema.find("type").as_string() != "object") return refuse("its schema is not of an object");
    json::append_compact(tool.schema, schema.raw());
  }
  tool.read_only = entry.find("annotations").find("readOnlyHint").as_bool().value_or(false);
  tool.as_task = entry.find("execution").find("taskSupport").as_string() == "required";
  tools.push_back(std::move(tool));
}

std::string stored_tools(const std::vector<RemoteTool>& tools) {
  std::string out;
  json::Writer writer(out);
  writer.begin_array();
  for (const RemoteTool& tool : tools) {
    writer.begin_object().key("name").string(tool.name).key("description").string(tool.description);
    writer.key("inputSchema").raw(tool.schema).key("annotations").begin_object();
    writer.key("readOnlyHint").boolean(tool.read_only).end_object();
    if (tool.as_task) writer.key("execution").begin_object().key("taskSupport").string("required").end_object();
    writer.end_object();
  }
  writer.end_array();
  return out;
}

const std::string& Names::add(const std::string& server, const RemoteTool& tool) {
  const std::string whole = "mcp__" + server + "__" + tool.name;
  std::string name = whole;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_name_character(c); }, '_');
  if (name != whole || name.size() > kLongestOfferedName || targets_.count(name)) {
    constexpr std::size_t kDigits = 8;
    name.resize(std::min(name.size(), kLongestOfferedName - kDigits - 1));
    name += '_' + sha256_hex(whole).substr(0, kDigits);
  }
  return targets_.insert_or_assign(name, Target{server, tool.name, tool.read_only}).first->first;
}

const Names::Target* Names::find(const std::string& offered) const {
  const auto found = targets_.find(offered);
  return found == targets_.end() ? nullptr : &found->second;
}

}  // namespace magi::mcp
