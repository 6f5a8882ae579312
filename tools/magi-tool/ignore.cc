#include "tools/magi-tool/ignore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "tools/magi-tool/glob.h"

namespace magi::toolbox {
namespace {

constexpr std::size_t kLargestFile = 4 * 1024 * 1024;
constexpr const char* kName = ".gitignore";

// Empty when there is none, or it is no regular file of reasonable size.
std::string read_rules(int folder, const char* name) {
  const os::Fd fd(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return os::read_all(fd.get(), kLargestFile).value_or({});
}
std::string read_rules(const std::string& path) { return read_rules(AT_FDCWD, path.c_str()); }

std::string first_line(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

// The folder that holds info/exclude: .git itself, or for a linked worktree what its .git file leads to.
std::string git_folder(const std::string& top) {
  const std::string dot_git = top + "/.git";
  struct stat status {};
  if (::stat(dot_git.c_str(), &status) != 0) return {};
  if (S_ISDIR(status.st_mode)) return dot_git;
  const auto absolute = [](const std::string& base, std::string path) {
    return path.starts_with('/') ? path : base + '/' + path;
  };
  std::string link = first_line(read_rules(dot_git));
  if (!link.starts_with("gitdir: ")) return dot_git;
  const std::string own = absolute(top, link.substr(8));
  const std::string common = first_line(read_rules(own + "/commondir"));
  return common.empty() ? own : absolute(own, common);
}

// The folder of the repository that `folder` lies in; empty when it lies in none.
std::string repository_of(std::string folder) {
  for (;;) {
    if (::access((folder + "/.git").c_str(), F_OK) == 0) return folder.empty() ? "/" : folder;
    if (folder.empty() || folder == "/") return {};
    folder.resize(folder.find_last_of('/'));
  }
}

std::string_view without_trailing_spaces(std::string_view line) {
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  return line;
}

}  // namespace

IgnoreRules::IgnoreRules() { add("", parse("node_modules/")); }

IgnoreRules::Rule IgnoreRules::parse_rule(std::string_view line) {
  Rule rule;
  line = without_trailing_spaces(line);
  if (line.starts_with('!')) {
    rule.negated = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    rule.folders_only = true;
    line.remove_suffix(1);
  }
  rule.anchored = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  rule.literal = line.find_first_of("*?[\\") == std::string_view::npos;
  rule.pattern = line;
  return rule;
}

std::vector<IgnoreRules::Rule> IgnoreRules::parse(std::string_view text) {
  std::vector<Rule> rules;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    if (Rule rule = parse_rule(line); !rule.pattern.empty()) rules.push_back(std::move(rule));
  }
  return rules;
}

void IgnoreRules::add(std::string base, std::vector<Rule> rules) {
  if (!rules.empty()) files_.push_back({depth_, std::move(base), std::move(rules)});
}

void IgnoreRules::enter_start(const std::string& folder) {
  std::string top = repository_of(folder);
  if (top.empty()) {
    top = folder;
  } else if (const std::string git = git_folder(top == "/" ? "" : top); !git.empty()) {
    add("", parse(read_rules(git + "/info/exclude")));
  }
  prefix_ = folder.substr(std::min(top == "/" ? 1 : top.size() + 1, folder.size()));
  if (!prefix_.empty()) prefix_ += '/';
  std::string base;
  const std::string top_slash = top == "/" ? top : top + '/';
  for (std::size_t slash = 0;; slash = prefix_.find('/', slash) + 1) {
    base = prefix_.substr(0, slash);
    add(base, parse(read_rules(top_slash + base + kName)));
    if (slash == prefix_.size()) return;
  }
}

void IgnoreRules::enter(int folder_fd, std::string_view path) {
  ++depth_;
  add(prefix_ + std::string(path), parse(read_rules(folder_fd, kName)));
}

void IgnoreRules::leave() {
  while (!files_.empty() && files_.back().depth == depth_) files_.pop_back();
  --depth_;
}

bool IgnoreRules::matches(const Rule& rule, std::string_view base, std::string_view path, std::string_view name) {
  const std::string_view subject = rule.anchored ? path.substr(base.size()) : name;
  return rule.literal ? subject == rule.pattern : glob_match(rule.pattern, subject);
}

bool IgnoreRules::ignores(std::string_view path, bool is_folder) const {
  const std::string full = prefix_ + std::string(path);
  const std::string_view name = std::string_view(full).substr(full.find_last_of('/') + 1);
  for (auto file = files_.rbegin(); file != files_.rend(); ++file)
    for (auto rule = file->rules.rbegin(); rule != file->rules.rend(); ++rule)
      if ((is_folder || !rule->folders_only) && matches(*rule, file->base, full, name)) return !rule->negated;
  return false;
}

}  // namespace magi::toolbox
