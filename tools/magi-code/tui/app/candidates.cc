#include "tools/magi-code/tui/app/candidates.h"

#include <dirent.h>

#include <algorithm>
#include <deque>
#include <set>

#include "tools/magi-code/prompt/skills.h"
#include "tools/magi-code/tui/app/child_output.h"

namespace magi::code::tui {
namespace {

constexpr std::size_t kMostFiles = 50'000, kMostBytes = 16 * 1024 * 1024;

struct FolderCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};
using Folder = std::unique_ptr<DIR, FolderCloser>;

// NUL-separated paths of git; nothing where it is no worktree.
std::string ask_git(const std::string& cwd, const std::vector<std::string>& environment, const std::string& path) {
  const auto program = os::find_executable("git", path);
  if (!program) return {};
  os::SpawnOptions options;
  options.program = *program;
  options.args = {"-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard"};
  options.env = environment;
  options.cwd = cwd;
  std::string text;
  std::atomic<bool> enough{false};
  const auto ended = run_child(std::move(options), enough, [&](std::string_view more) {
    if (text.size() < kMostBytes) text += more;
    if (text.size() >= kMostBytes) enough = true;
  });
  return ended && (ended->exit_code == 0 || ended->stopped) ? text : std::string();
}

void add_with_folders(std::set<std::string>& names, std::string_view path) {
  names.emplace(path);
  for (std::size_t slash = path.rfind('/'); slash != std::string_view::npos && slash > 0;
       slash = path.rfind('/', slash - 1))
    if (!names.emplace(path.substr(0, slash + 1)).second) return;
}

// Breadth first: what is near comes in first where there is too much.
void walk(const std::string& cwd, std::set<std::string>& names) {
  std::deque<std::string> folders{""};
  while (!folders.empty() && names.size() < kMostFiles) {
    const std::string here = std::move(folders.front());
    folders.pop_front();
    const Folder folder(opendir((cwd + "/" + here).c_str()));
    if (!folder) continue;
    while (const dirent* entry = readdir(folder.get())) {
      if (entry->d_name[0] == '.' || names.size() >= kMostFiles) continue;
      const bool is_folder = entry->d_type == DT_DIR;
      std::string name = here + entry->d_name + (is_folder ? "/" : "");
      if (is_folder) folders.push_back(name);
      names.insert(std::move(name));
    }
  }
}

}  // namespace

Candidates list_files(const std::string& cwd, const std::vector<std::string>& environment, const std::string& path) {
  std::set<std::string> names;
  const std::string tracked = ask_git(cwd, environment, path);
  for (std::string_view rest = tracked; !rest.empty() && names.size() < kMostFiles;) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    if (end > 0) add_with_folders(names, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (names.empty()) walk(cwd, names);
  Candidates candidates;
  candidates.reserve(names.size());
  for (const std::string& name : names) candidates.push_back({name, {}, name.back() == '/'});
  return candidates;
}

Candidates list_skills(const session::Home& home, const std::string& cwd) {
  Candidates candidates;
  for (const Skill& skill : find_skills(home, cwd).list) candidates.push_back({skill.name, skill.description, false});
  return candidates;
}

}  // namespace magi::code::tui
