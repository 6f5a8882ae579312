#include "tools/magi-mcp/cache.h"

#include "libcommon/digest/sha256.h"
#include "libcommon/json/writer.h"
#include "libcommon/os/atomic_file.h"
#include "libcommon/os/io.h"

namespace magi::mcp {
namespace {

constexpr std::size_t kLargestFile = 8u << 20;
constexpr std::string_view kFormat = "1";

}  // namespace

std::string cache_name(const std::string& server, const config::McpServerSettings& settings, const std::string& root) {
  std::string key;
  json::Writer writer(key);
  writer.begin_array().string(kFormat).string(server).string(root).string(settings.command).string(settings.url);
  writer.begin_array();
  for (const std::string& one : settings.args) writer.string(one);
  writer.end_array().begin_array();
  for (const std::string& one : settings.tools) writer.string(one);
  writer.end_array();
  for (const auto* map : {&settings.env, &settings.headers}) {
    writer.begin_object();
    for (const auto& [name, value] : *map) writer.key(name).string(value);
    writer.end_object();
  }
  writer.end_array();
  return sha256_hex(key).substr(0, 32) + ".json";
}

std::optional<std::vector<RemoteTool>> cached_tools(const session::Home& home, const std::string& name) {
  const auto folder = session::open_mcp_tools(home);
  if (!folder) return std::nullopt;
  const auto text = os::read_file(*folder, name, kLargestFile);
  if (!text) return std::nullopt;
  json::Parser parser;
  const auto root = parser.parse(*text);
  if (!root || !root->is(json::Kind::kArray)) return std::nullopt;
  std::vector<RemoteTool> tools;
  std::vector<std::string> remarks;
  for (const json::Node entry : root->elements()) read_tool(entry, tools, remarks);
  return tools;
}

void keep_tools(const session::Home& home, const std::string& name, const std::vector<RemoteTool>& tools) {
  const auto folder = session::open_mcp_tools(home);
  if (!folder) return;
  const std::string text = stored_tools(tools);
  if (const auto present = os::read_file(*folder, name, kLargestFile); present && *present == text) return;
  (void)os::replace_file(*folder, name, text, os::Sync::kNone);
}

}  // namespace magi::mcp
