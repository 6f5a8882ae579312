#include "tools/magi-code/prompt/skills.h"

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <set>

#include "libcommon/base/utf8.h"
#include "tools/magi-code/prompt/instruction_files.h"
#include "tools/magi-code/prompt/text_file.h"

namespace magi::code {
namespace {

constexpr std::size_t kMostSkills = 200, kMostProblems = 20, kMostHeadBytes = 64 * 1024;
constexpr std::size_t kMostName = 64, kMostDescription = 1024, kShownDescription = 300, kMostSection = 16 * 1024;
constexpr std::string_view kFile = "SKILL.md";

struct FolderCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};

std::vector<std::string> folders_in(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, FolderCloser> folder(opendir(path.c_str()));
  if (!folder) return names;
  while (const dirent* entry = readdir(folder.get()))
    if (entry->d_name[0] != '.' && entry->d_type != DT_REG && names.size() < kMostSkills)
      names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostName && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// A YAML scalar on one line: plain, or in quotes.
std::string unquoted(std::string_view value) {
  value = trimmed(value);
  const bool quoted = value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0];
  if (!quoted) return std::string(value.substr(0, value.find(" #")));
  const char mark = value[0];
  value = value.substr(1, value.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool escape = (mark == '"' && value[i] == '\\') || (mark == '\'' && value.substr(i).starts_with("''"));
    if (escape && i + 1 < value.size()) ++i;
    text += value[i];
  }
  return text;
}

// The lines of a block scalar (`|` or `>`), or of a plain one that goes on, as one line.
void append_indented(std::string& value, std::string_view& rest) {
  while (rest.starts_with(' ') || rest.starts_with('\t')) {
    const std::string_view line = trimmed(take_line(rest));
    if (line.empty()) continue;
    if (!value.empty()) value += ' ';
    value += line;
  }
}

// Whatever would begin a line of its own, or hide, is a blank in a list of one line each.
std::string one_line(std::string_view text, std::size_t most_characters) {
  std::string line;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  const std::size_t shown = utf8::prefix_bytes(line, most_characters);
  if (shown < line.size()) line = line.substr(0, shown) + "...";
  return line;
}

class Finder {
 public:
  void add_folder(const std::string& root, const std::string& below, bool of_project) {
    const std::string folder = below.empty() ? root : root + "/" + below;
    for (const std::string& name : folders_in(folder)) {
      if (skills_.list.size() >= kMostSkills) return problem("more than " + std::to_string(kMostSkills) + " skills");
      const std::string relative = (below.empty() ? name : below + "/" + name) + "/" + std::string(kFile);
      add(root, relative, of_project);
    }
  }

  Skills finish() {
    std::sort(skills_.list.begin(), skills_.list.end(), [](const Skill& a, const Skill& b) { return a.name < b.name; });
    return std::move(skills_);
  }

 private:
  void add(const std::string& root, const std::string& relative, bool of_project) {
    const std::string path = root + "/" + relative;
    const auto text = of_project ? read_text_below(root, relative, kMostHeadBytes)
                                 : read_text_file(path, kMostHeadBytes, Links::kFollow);
    if (!text) {
      if (text.error().code != ErrorCode::kNotFound) problem(text.error().what);
      return;
    }
    auto head = read_front_matter(*text);
    if (!head) return problem(path + ": " + head.error().what);
    if (!names_.insert(head->name).second)
      return problem(path + ": there is another skill named " + quoted(head->name));
    skills_.list.push_back({std::move(head->name), std::move(head->description), path, of_project});
  }

  void problem(std::string what) {
    if (skills_.problems.size() < kMostProblems) skills_.problems.push_back(std::move(what));
  }

  Skills skills_;
  std::set<std::string> names_;
};

}  // namespace

Result<FrontMatter> read_front_matter(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (take_line(text) != "---") return make_error(ErrorCode::kBadRecord, "it does not begin with front matter (---)");
  FrontMatter head;
  bool closed = false;
  while (!text.empty() && !closed) {
    const std::string_view line = take_line(text);
    closed = line == "---" || line == "...";
    const std::size_t colon = line.find(':');
    if (closed || colon == std::string_view::npos || line.starts_with(' ') || line.starts_with('#')) continue;
    const std::string_view key = trimmed(line.substr(0, colon)), given = trimmed(line.substr(colon + 1));
    const bool block = given.starts_with('|') || given.starts_with('>');
    std::string value = block ? std::string() : unquoted(given);
    append_indented(value, text);
    if (key == "name") head.name = std::move(value);
    if (key == "description") head.description = std::move(value);
  }
  if (!closed) return make_error(ErrorCode::kBadRecord, "its front matter has no end (---)");
  if (!is_name(head.name))
    return make_error(ErrorCode::kBadRecord, "its name must be lower-case letters, digits and dashes, 64 at most");
  if (trimmed(head.description).empty()) return make_error(ErrorCode::kBadRecord, "it has no description");
  if (utf8::count(head.description) > kMostDescription)
    return make_error(ErrorCode::kBadRecord, "its description is longer than 1,024 characters");
  return head;
}

Skills find_skills(const session::Home& home, const std::string& cwd) {
  Finder finder;
  finder.add_folder(home.skills(), {}, false);
  std::vector<std::string> folders = folders_down_to(cwd);
  std::reverse(folders.begin(), folders.end());
  for (const std::string& folder : folders)
    for (const char* below : {".magi-code/skills", ".agents/skills"})
      if (folder + "/.magi-code" != home.root()) finder.add_folder(folder, below, true);
  return finder.finish();
}

std::string skills_section(const Skills& skills) {
  if (skills.list.empty()) return {};
  std::string text =
      "Each of these files says how a kind of task is done here. Where one fits what you are asked, read it with "
      "`read` "
      "before you begin. Those of the project come from the repository, not from the user.\n";
  std::size_t left_out = 0;
  for (const Skill& skill : skills.list) {
    const std::string line = "- " + skill.name + (skill.of_project ? " (project): " : " (user): ") +
                             one_line(skill.description, kShownDescription) + " [" + one_line(skill.path, 512) + "]\n";
    if (text.size() + line.size() > kMostSection)
      ++left_out;
    else
      text += line;
  }
  if (left_out > 0) text += "- and " + std::to_string(left_out) + " more that are not shown\n";
  return text;
}

const Skill* skill_at(const Skills& skills, std::string_view path, const std::string& cwd) {
  const std::string absolute = path.starts_with('/') ? std::string(path) : cwd + "/" + std::string(path);
  for (const Skill& skill : skills.list)
    if (skill.path == absolute) return &skill;
  return nullptr;
}

}  // namespace magi::code
