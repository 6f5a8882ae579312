#include "tools/magi-code/loop/folder_instructions.h"

#include <sys/stat.h>

#include <algorithm>

#include "libcommon/event/names.h"
#include "tools/magi-code/prompt/instruction_files.h"

namespace magi::code {
namespace {

constexpr std::size_t kMostFileBytes = 32 * 1024, kMostBytes = 256 * 1024, kMostFolders = 64;
constexpr std::string_view kHeading = "Instructions of the folder ", kFrom = ", read from the repository's file ";

std::vector<std::string> paths_of(const event::ToolCall& call) {
  std::vector<std::string> paths;
  json::Parser parser;
  const auto arguments = parser.parse(call.arguments);
  if (!arguments) return paths;
  const auto take = [&](const json::Node& node) {
    if (auto path = node.as_string(); path && !path->empty()) paths.push_back(*std::move(path));
  };
  take(arguments->find("path"));
  for (const json::Node path : arguments->find("paths").elements()) take(path);
  return paths;
}

// The components of a path below the root, without the last one unless that is a folder.
std::vector<std::string> folders_of(std::string_view path, const std::string& root) {
  const std::string absolute = path.starts_with('/') ? std::string(path) : root + "/" + std::string(path);
  if (!absolute.starts_with(root + "/")) return {};
  std::vector<std::string> parts;
  std::string_view rest = std::string_view(absolute).substr(root.size() + 1);
  while (!rest.empty()) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string part(rest.substr(0, slash));
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    if (part == "..") {
      if (parts.empty()) return {};
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string whole = root;
  for (const std::string& part : parts) whole += "/" + part;
  struct stat info {};
  if (!parts.empty() && (lstat(whole.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))) parts.pop_back();
  return parts;
}

}  // namespace

std::vector<std::string> touched_folders(const event::ToolCall& call, const std::string& root) {
  std::vector<std::string> folders;
  for (const std::string& path : paths_of(call)) {
    std::string folder;
    for (const std::string& part : folders_of(path, root)) {
      folder += (folder.empty() ? "" : "/") + part;
      if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
    }
  }
  return folders;
}

void FolderInstructions::after_store(const event::ToolCall& call, const event::ToolResultEvent& stored,
                                     Asker& /*asker*/, std::function<void(Result<void>)> then) {
  forget_what_was_compacted();
  for (const std::string& folder : touched_folders(call, root_)) {
    if (looked_at_.size() >= kMostFolders * 64 || !looked_at_.insert(folder).second) continue;
    if (auto loaded = load(folder, stored.turn_id); !loaded) return then(std::move(loaded));
  }
  then({});
}

Result<void> FolderInstructions::load(const std::string& folder, const std::string& turn_id) {
  if (shown_.size() >= kMostFolders || bytes_ >= kMostBytes) return {};
  const auto file = instructions_of(root_, folder, kMostFileBytes);
  if (!file || !file->refused.empty()) return {};
  if (shown_.empty()) recall();
  if (!shown_.insert(file->path).second) return {};
  event::SubdirInstructionLoad load;
  load.turn_id = turn_id;
  load.path = file->path;
  load.text.append(kHeading).append(folder).append(kFrom).append(file->path);
  load.text +=
      ".\nThey hold for what is done in that folder. The repository gives them, not the user.\n\n" + file->text;
  bytes_ += load.text.size();
  Entries entries;
  entries.add(load);
  MAGI_TRY([[maybe_unused]] const auto ids, journal_.append(std::move(entries), session::Durability::kRequired));
  return {};
}

void FolderInstructions::forget_what_was_compacted() {
  const session::Writer* const writer = journal_.writer();
  const std::int64_t generation = writer ? writer->facts().generation : 0;
  if (generation == generation_) return;
  generation_ = generation;
  looked_at_.clear();
  shown_.clear();
  bytes_ = 0;
}

// What a session that goes on shows already: the first line of such a text names its file.
void FolderInstructions::recall() {
  const auto stream = journal_.conversation();
  if (!stream) return;
  const std::string opening = "{\"type\":\"" + std::string(event::name::kContext) + "\"";
  json::Parser parser;
  for (std::size_t at = 0; at < stream->size();) {
    const std::size_t end = std::min(stream->find('\n', at), stream->size());
    const std::string_view line = std::string_view(*stream).substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(opening)) continue;
    const auto record = parser.parse(line);
    const std::string text = record ? record->find("text").as_string().value_or("") : "";
    const std::size_t from = text.find(kFrom), stop = text.find(".\nThey hold for ");
    if (!text.starts_with(kHeading) || from == std::string::npos || stop == std::string::npos || stop < from) continue;
    shown_.insert(text.substr(from + kFrom.size(), stop - from - kFrom.size()));
    bytes_ += text.size();
  }
}

}  // namespace magi::code
