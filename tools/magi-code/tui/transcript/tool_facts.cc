#include "tools/magi-code/tui/transcript/tool_facts.h"

#include <algorithm>
#include <charconv>

#include "libcommon/json/node.h"

namespace magi::code::tui {
namespace {

// What names a call best, in this order.
constexpr std::string_view kTelling[] = {"command", "path",   "file_path", "pattern", "url",
                                         "query",   "prompt", "job",       "name",    "action"};
// What the diff of an edit shows.
constexpr std::string_view kChanging[] = {"old_text", "new_text", "content", "edits", "patch"};
constexpr std::size_t kMostIntent = 512;

template <std::size_t N>
bool is_one_of(const std::string_view (&list)[N], std::string_view word) {
  return std::find(list, list + N, word) != list + N;
}

std::string text_of(const json::Node& node) {
  if (auto text = node.as_string()) return *std::move(text);
  return node ? std::string(node.raw()) : std::string();
}

// The numbers behind "at line" or "at lines".
std::vector<std::int64_t> lines_named(std::string_view output) {
  std::vector<std::int64_t> lines;
  std::size_t at = output.find(" at line");
  if (at == std::string_view::npos) return lines;
  at = output.find(' ', at + 4);
  while (at != std::string_view::npos && lines.size() < 100) {
    std::int64_t line = 0;
    const auto [end, error] = std::from_chars(output.data() + at + 1, output.data() + output.size(), line);
    if (error != std::errc{} || line <= 0 || line > INT32_MAX) break;
    lines.push_back(line);
    at = static_cast<std::size_t>(end - output.data());
    if (at >= output.size() || output[at] != ',') break;
    ++at;
  }
  return lines;
}

void append(DiffText& out, DiffText part) {
  if (!out.rows.empty()) out.rows.push_back({DiffRow::Kind::kHunk, "", 0, 0, {}});
  out.added += part.added;
  out.removed += part.removed;
  std::move(part.rows.begin(), part.rows.end(), std::back_inserter(out.rows));
}

DiffText diff_in(const json::Node& arguments, const std::vector<std::int64_t>& lines) {
  DiffText out;
  const auto line = [&](std::size_t i) { return i < lines.size() ? lines[i] : 0; };
  if (const json::Node patch = arguments.find("patch")) {
    append(out, parse_unified(text_of(patch)));
  } else if (const json::Node edits = arguments.find("edits"); edits.is(json::Kind::kArray)) {
    std::size_t i = 0;
    for (const json::Node edit : edits.elements()) {
      append(out, diff_texts(text_of(edit.find("old_text")), text_of(edit.find("new_text")), line(i)));
      ++i;
    }
  } else if (const json::Node content = arguments.find("content")) {
    append(out, diff_texts("", text_of(content), 1));
  } else {
    append(out, diff_texts(text_of(arguments.find("old_text")), text_of(arguments.find("new_text")), line(0)));
  }
  return out;
}

}  // namespace

void read_call(ToolFacts& facts, std::string_view name, std::string_view arguments) {
  facts.name = name;
  facts.intent.clear();
  facts.path.clear();
  facts.diff.reset();
  json::Parser parser;
  const auto root = parser.parse(arguments);
  const bool known = root && root->is(json::Kind::kObject);
  if (known) {
    for (const std::string_view key : kTelling)
      if (const auto value = root->find(key).as_string(); value && facts.intent.empty()) facts.intent = *value;
    if (const auto path = root->find("path").as_string()) facts.path = *path;
    facts.is_edit = !facts.path.empty() && std::any_of(std::begin(kChanging), std::end(kChanging),
                                                       [&](std::string_view key) { return bool(root->find(key)); });
  }
  if (facts.intent.empty() && arguments != "{}") facts.intent = arguments;
  if (facts.intent.size() > kMostIntent) facts.intent.resize(kMostIntent);
  const bool whole =
      arguments.size() <= limit::kArguments || (facts.is_edit && arguments.size() <= limit::kEditArguments);
  facts.arguments = whole ? std::string(arguments) : bounded(arguments, limit::kArguments / 2, limit::kArguments / 2);
  if (!whole) facts.is_edit = false;
}

void read_answer(ToolFacts& facts, std::string_view details_json, std::string_view output) {
  facts.edit_lines = facts.is_edit ? lines_named(output.substr(0, 4096)) : std::vector<std::int64_t>();
  facts.diff.reset();
  if (details_json.empty()) return;
  json::Parser parser;
  const auto root = parser.parse(details_json);
  if (!root) return;
  facts.exit_code = root->find("exit_code").as_int();
  if (auto signal = root->find("signal").as_string()) facts.signal = *std::move(signal);
}

const DiffText* diff_of(ToolFacts& facts) {
  if (!facts.is_edit) return nullptr;
  if (!facts.diff) {
    json::Parser parser;
    const auto root = parser.parse(facts.arguments);
    if (!root) return nullptr;
    facts.diff = std::make_unique<DiffText>(diff_in(*root, facts.edit_lines));
    facts.added = facts.diff->added;
    facts.removed = facts.diff->removed;
  }
  return facts.diff.get();
}

std::vector<Argument> arguments_of(const ToolFacts& facts) {
  std::vector<Argument> out;
  json::Parser parser;
  const auto root = parser.parse(facts.arguments);
  if (!root || !root->is(json::Kind::kObject)) {
    out.push_back({"", facts.arguments});
    return out;
  }
  for (const json::Node::Member member : root->members()) {
    const std::string key = member.key();
    if (facts.is_edit && is_one_of(kChanging, key)) continue;
    out.push_back({key, text_of(member.value)});
  }
  return out;
}

}  // namespace magi::code::tui
