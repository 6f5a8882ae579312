// Which files git would ignore: .gitignore at every level, .git/info/exclude, with negation and anchoring as
// gitignore(5) says.  node_modules is left out too unless a rule brings it back.  Global excludes of the user are not
// read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace magi::toolbox {

// A stack of rule files, from the repository's top down to the folder that is being walked.
class IgnoreRules {
 public:
  IgnoreRules();

  // The rules above and at `folder` (absolute, real): of the repository that it lies in, or of itself where there is
  // none. Paths handed to ignores() are then relative to `folder`.
  void enter_start(const std::string& folder);
  // Entering and leaving a folder below; `path` is its path with a final '/'.
  void enter(int folder_fd, std::string_view path);
  void leave();

  // Asked from the top down: what lies in an ignored folder is not asked about.
  bool ignores(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::string pattern;
    bool negated = false, folders_only = false, anchored = false, literal = false;
  };
  struct File {
    std::size_t depth = 0;  // of the folder that brought it
    std::string base;       // that folder, with '/', relative to the top; empty for the top itself
    std::vector<Rule> rules;
  };

  static Rule parse_rule(std::string_view line);
  static std::vector<Rule> parse(std::string_view text);
  static bool matches(const Rule& rule, std::string_view base, std::string_view path, std::string_view name);
  void add(std::string base, std::vector<Rule> rules);

  std::vector<File> files_;
  std::string prefix_;     // of the start below the top, with '/'
  std::size_t depth_ = 0;  // folders entered
};

}  // namespace magi::toolbox
