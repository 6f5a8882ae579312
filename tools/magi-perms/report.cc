#include "tools/magi-perms/report.h"

#include <cstdio>

#include "libcommon/json/writer.h"

namespace magi::perms {
namespace {

std::string octal(mode_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode));
  return text;
}

std::string shown(const Repair& repair) { return repair.is_folder ? repair.path + '/' : repair.path; }

// Names are others' text: those that would disturb a terminal or a table are quoted.
std::string plain(const std::string& path) {
  for (const char c : path)
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f || (c & 0x80) != 0 || c == '\'') return quoted(path);
  return path;
}

}  // namespace

std::string as_table(const Inventory& inventory) {
  std::string text;
  if (!inventory.repairs.empty()) text += "mode  new   object\n";
  for (const Repair& repair : inventory.repairs)
    text.append(octal(repair.mode))
        .append("  ")
        .append(octal(repair.new_mode()))
        .append("  ")
        .append(plain(shown(repair)))
        .append("\n");
  for (const Doubt& doubt : inventory.doubts)
    text.append("look at ").append(plain(doubt.path)).append(": ").append(doubt.reason).append("\n");
  return text.append(std::to_string(inventory.repairs.size()))
      .append(" to repair, ")
      .append(std::to_string(inventory.doubts.size()))
      .append(" to look at, of ")
      .append(std::to_string(inventory.looked_at))
      .append("\n");
}

std::string as_json(const Inventory& inventory, std::optional<std::int64_t> repaired) {
  std::string text;
  json::Writer json(text);
  json.begin_object().key("looked_at").integer(inventory.looked_at).key("to_repair").begin_array();
  for (const Repair& repair : inventory.repairs)
    json.begin_object()
        .key("path")
        .string(repair.path)
        .key("mode")
        .string(octal(repair.mode))
        .key("new_mode")
        .string(octal(repair.new_mode()))
        .end_object();
  json.end_array().key("to_look_at").begin_array();
  for (const Doubt& doubt : inventory.doubts)
    json.begin_object().key("path").string(doubt.path).key("reason").string(doubt.reason).end_object();
  json.end_array().key("repaired");
  repaired ? json.integer(*repaired) : json.null();
  json.end_object();
  return text + '\n';
}

}  // namespace magi::perms
