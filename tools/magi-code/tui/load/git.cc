#include "tools/magi-code/tui/load/git.h"

#include <algorithm>
#include <set>

namespace magi::code::tui {
namespace {

constexpr int kTimeoutMs = 20'000;
constexpr std::size_t kMostAnswerBytes = 1u << 20;

// Git reads much from its environment, and what the user has set there is meant for another repository (UND-06).
std::vector<std::string> environment_of(const Source& source) {
  std::vector<std::string> out;
  for (const std::string& entry : source.child_environment)
    if (!entry.starts_with("GIT_") && !entry.starts_with("LC_ALL=") && !entry.starts_with("LANGUAGE="))
      out.push_back(entry);
  for (const char* own : {"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
                          // Overrides protocol.*.allow: an object that is missing must not be fetched by a command.
                          "GIT_ALLOW_PROTOCOL=none", "GIT_LITERAL_PATHSPECS=1", "GIT_PAGER=cat"})
    out.emplace_back(own);
  // Where a test or an administrator has cut these off, they stay cut off.
  for (const char* name : {"GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CEILING_DIRECTORIES"})
    if (const auto value = source.environment.get(name)) out.push_back(std::string(name) + '=' + std::string(*value));
  return out;
}

std::string without_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Result<Git> Git::open(const Source& source) {
  Git git;
  MAGI_TRY(git.program_, os::find_executable("git", source.environment.get_or("PATH", "/usr/bin:/bin")));
  git.environment_ = environment_of(source);
  for (const char* each : {"core.fsmonitor=false", "core.hooksPath=/dev/null", "core.untrackedCache=false",
                           "core.quotePath=false", "diff.external=", "diff.orderFile=/dev/null", "core.pager=cat"})
    git.overrides_.insert(git.overrides_.end(), {"-c", each});
  git.root_ = source.cwd;
  auto root = git.start({"rev-parse", "--show-toplevel"}, kMostAnswerBytes);
  if (!root) return std::move(root.error());
  if (root->status != 0 || without_line_end(root->text).empty())
    return make_error(ErrorCode::kNotFound, quoted(source.cwd), " lies in no working tree of git");
  git.root_ = without_line_end(std::move(root->text));
  MAGI_CHECK(git.learn_filters());
  MAGI_CHECK(git.learn_base());
  return git;
}

// Comparing runs the `clean` filters that attributes name: those of the repository's own configuration are made to do
// nothing.  Filters of the user's stay, since without them (git-lfs) every file would look changed.
Result<void> Git::learn_filters() {
  std::set<std::string> drivers;
  for (const char* scope : {"--local", "--worktree"}) {
    MAGI_TRY(
        const ChildText keys,
        start({"config", scope, "--includes", "-z", "--name-only", "--get-regexp", "^filter\\."}, kMostAnswerBytes));
    if (keys.cut) return make_error(ErrorCode::kLimit, "the repository's configuration is too large");
    for (std::string_view rest = keys.text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\0'), rest.size());
      const std::string_view key = rest.substr(0, end);
      if (const std::size_t dot = key.rfind('.'); dot != std::string_view::npos) drivers.emplace(key.substr(0, dot));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const std::string& driver : drivers) {
    // `-c` splits at the first '='.
    if (driver.find('=') != std::string::npos)
      return make_error(ErrorCode::kUnsafe, "the repository defines a filter that cannot be switched off");
    for (const char* part : {".clean=", ".smudge=", ".process=", ".required=false"})
      overrides_.insert(overrides_.end(), {"-c", driver + part});
  }
  return {};
}

Result<void> Git::learn_base() {
  MAGI_TRY(const ChildText head, start({"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}, kMostAnswerBytes));
  if (head.status == 0) return base_ = "HEAD", Result<void>();
  MAGI_TRY(ChildText empty, start({"hash-object", "-t", "tree", "--stdin"}, kMostAnswerBytes));
  if (empty.status != 0) return make_error(ErrorCode::kIo, "git cannot say what an empty tree is");
  base_ = without_line_end(std::move(empty.text));
  return {};
}

Result<ChildText> Git::start(std::vector<std::string> arguments, std::size_t max_bytes) const {
  os::SpawnOptions options;
  options.program = program_;
  options.args = overrides_;
  options.args.insert(options.args.begin(), "--no-pager");
  options.args.insert(options.args.end(), std::make_move_iterator(arguments.begin()),
                      std::make_move_iterator(arguments.end()));
  options.env = environment_;
  options.cwd = root_;
  return text_of_child(std::move(options), max_bytes, kTimeoutMs);
}

Result<ChildText> Git::run(std::vector<std::string> arguments, std::size_t max_bytes) const {
  const std::string verb = arguments.front();
  MAGI_TRY(ChildText out, start(std::move(arguments), max_bytes));
  if (out.status != 0 && !out.cut)
    return make_error(ErrorCode::kIo, "git ", verb, " failed with status ", std::to_string(out.status));
  return out;
}

}  // namespace magi::code::tui
