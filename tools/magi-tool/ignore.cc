#include "tools/magi-tool/ignore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "tools/magi-tool/glob.h"

namespace magi::toolbox {
namespace {

constexpr std::size_t kLargestFile = 4 * 1024 * 1024;
constexpr const char *kGitignore = ".gitignore", *kIgnore = ".ignore", *kRgignore = ".rgignore", *kGit = ".git";

// Empty when there is none, or it is no regular file of reasonable size.
std::string read_rules(int folder, const char* name, int links = O_NOFOLLOW) {
  const os::Fd fd(::openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | links));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return os::read_all(fd.get(), kLargestFile).value_or({});
}
std::string read_rules(const std::string& path) { return read_rules(AT_FDCWD, path.c_str()); }
// The user's own, who may well keep it elsewhere and link to it.
std::string read_of_user(const std::string& path) { return read_rules(AT_FDCWD, path.c_str(), 0); }

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

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool same_letters(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x + 32 : x) == y; });
}

// The value of core.excludesFile in a file of git's configuration; empty: not there.
std::string excludes_file_in(std::string_view text) {
  std::string found;
  bool in_core = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('[')) in_core = same_letters(line.substr(0, 6), "[core]");
    const std::size_t equals = line.find('=');
    if (!in_core || equals == std::string_view::npos) continue;
    if (!same_letters(trimmed(line.substr(0, equals)), "excludesfile")) continue;
    line = trimmed(line.substr(equals + 1));
    if (line.size() >= 2 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
    found = line;
  }
  return found;
}

}  // namespace

std::string global_ignore_file(const std::string& home, const std::string& xdg) {
  const std::string config = !xdg.empty() ? xdg : home.empty() ? "" : home + "/.config";
  std::string named;
  // Git reads the file in the home last, so it counts more.
  if (!home.empty()) named = excludes_file_in(read_of_user(home + "/.gitconfig"));
  if (named.empty() && !config.empty()) named = excludes_file_in(read_of_user(config + "/git/config"));
  if (named.starts_with("~/")) return home.empty() ? "" : home + named.substr(1);
  if (!named.empty()) return named;
  return config.empty() ? "" : config + "/git/ignore";
}

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
  rule.pattern = line;
  constexpr std::string_view kSpecial = "*?[\\";
  if (line.find_first_of(kSpecial) == std::string_view::npos) {
    rule.shape = Rule::Shape::kLiteral;
  } else if (!rule.anchored && line.starts_with('*') &&
             line.substr(1).find_first_of(kSpecial) == std::string_view::npos) {
    rule.shape = Rule::Shape::kSuffix;
    rule.pattern.erase(0, 1);
  }
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
    if (Rule rule = parse_rule(line); !rule.pattern.empty() || rule.shape == Rule::Shape::kSuffix)
      rules.push_back(std::move(rule));
  }
  return rules;
}

void IgnoreRules::add(Chain& chain, std::size_t base_size, std::vector<Rule> rules) {
  if (rules.empty()) return;
  chain = std::make_shared<const File>(File{chain, base_size, std::move(rules)});
}

void IgnoreRules::add_files(int folder_fd, std::size_t base_size, const Present& present) {
  if (present.gitignore) add(git_, base_size, parse(read_rules(folder_fd, kGitignore)));
  if (present.ignore) add(plain_, base_size, parse(read_rules(folder_fd, kIgnore)));
  if (present.rgignore) add(plain_, base_size, parse(read_rules(folder_fd, kRgignore)));
}

IgnoreRules IgnoreRules::at_start(const std::string& folder, const std::string& global_file) {
  IgnoreRules rules;
  add(rules.global_, 0, parse("node_modules/"));
  if (!global_file.empty()) add(rules.global_, 0, parse(read_of_user(global_file)));
  rules.git_ = rules.global_;
  std::string top = repository_of(folder);
  if (top.empty()) {
    top = folder;
  } else if (const std::string git = git_folder(top == "/" ? "" : top); !git.empty()) {
    add(rules.git_, 0, parse(read_rules(git + "/info/exclude")));
  }
  std::string prefix = folder.substr(std::min(top == "/" ? 1 : top.size() + 1, folder.size()));
  if (!prefix.empty()) prefix += '/';
  const std::string top_slash = top == "/" ? top : top + '/';
  constexpr Present kAll{true, true, true, false};
  for (std::size_t slash = 0;; slash = prefix.find('/', slash) + 1) {
    const os::Fd fd(::open((top_slash + prefix.substr(0, slash)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (fd) rules.add_files(fd.get(), slash, kAll);
    if (slash == prefix.size()) break;
  }
  rules.prefix_ = std::make_shared<const std::string>(std::move(prefix));
  return rules;
}

bool IgnoreRules::note(std::string_view name, Present& present) {
  if (!name.starts_with('.')) return false;
  for (const auto& [one, flag] : {std::pair(kGitignore, &Present::gitignore), std::pair(kIgnore, &Present::ignore),
                                  std::pair(kRgignore, &Present::rgignore), std::pair(kGit, &Present::repository)})
    if (name == one) return present.*flag = true;
  return false;
}

IgnoreRules IgnoreRules::below(int folder_fd, std::string_view path, const Present& present) const {
  IgnoreRules rules = *this;
  const std::size_t base_size = prefix_->size() + path.size();
  // A repository of its own is not governed by the one around it.
  if (present.repository) {
    rules.git_ = global_;
    const os::Fd git(::openat(folder_fd, kGit, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (git) add(rules.git_, base_size, parse(read_rules(git.get(), "info/exclude")));
  }
  rules.add_files(folder_fd, base_size, present);
  return rules;
}

bool IgnoreRules::matches(const Rule& rule, std::string_view below_base, std::string_view name) {
  const std::string_view subject = rule.anchored ? below_base : name;
  switch (rule.shape) {
    case Rule::Shape::kLiteral: return subject == rule.pattern;
    case Rule::Shape::kSuffix: return subject.ends_with(rule.pattern);
    case Rule::Shape::kGlob: break;
  }
  return glob_match(rule.pattern, subject);
}

Verdict IgnoreRules::look(const File* file, std::string_view full, std::string_view name, bool is_folder) {
  for (; file != nullptr; file = file->above.get()) {
    const std::string_view below_base = full.substr(file->base_size);
    for (auto rule = file->rules.rbegin(); rule != file->rules.rend(); ++rule)
      if ((is_folder || !rule->folders_only) && matches(*rule, below_base, name))
        return rule->negated ? Verdict::kKept : Verdict::kIgnored;
  }
  return Verdict::kNone;
}

Verdict IgnoreRules::verdict(std::string_view full, std::string_view name, bool is_folder) const {
  if (const Verdict plain = look(plain_.get(), full, name, is_folder); plain != Verdict::kNone) return plain;
  return look(git_.get(), full, name, is_folder);
}

}  // namespace magi::toolbox
