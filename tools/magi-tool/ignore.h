// Which files a search leaves out: what git would ignore (.gitignore at every level, .git/info/exclude, the user's
// global excludes) and what .ignore and .rgignore say, with negation and anchoring as gitignore(5) has them.
// node_modules is left out too unless a rule brings it back.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace magi::toolbox {

// The user's core.excludesFile, by the configuration of git in `home` and `xdg` (XDG_CONFIG_HOME; may be empty);
// empty: none.  Reads two small files.
std::string global_ignore_file(const std::string& home, const std::string& xdg);

enum class Verdict { kNone, kIgnored, kKept };  // kKept: a negated rule says so

// The rules that hold in one folder.  A value: a walk hands copies to several threads; what they share never changes.
class IgnoreRules {
 public:
  // The rules above and at `folder` (absolute, real): of the repository that it lies in, or of itself where there is
  // none.  Paths handed to verdict() are then prefix() and what leads from `folder` on.
  static IgnoreRules at_start(const std::string& folder, const std::string& global_file);

  // Of this folder in the one whose rules these are.  `path`: its path below the start, with a final '/'.
  struct Present {
    bool gitignore = false, ignore = false, rgignore = false, repository = false;
  };
  static bool note(std::string_view name, Present& present);  // true where the name is one of those
  IgnoreRules below(int folder_fd, std::string_view path, const Present& present) const;

  // Of the start below the repository's top, with '/'.
  const std::string& prefix() const { return *prefix_; }

  // Asked from the top down: what lies in an ignored folder is not asked about.  `full`: prefix and path.
  Verdict verdict(std::string_view full, std::string_view name, bool is_folder) const;

 private:
  struct Rule {
    enum class Shape { kLiteral, kSuffix, kGlob };  // kSuffix: "*.o", by name
    std::string pattern;
    Shape shape = Shape::kGlob;
    bool negated = false, folders_only = false, anchored = false;
  };
  struct File {
    std::shared_ptr<const File> above;
    std::size_t base_size = 0;  // of the folder that brought it, with '/', below the repository's top
    std::vector<Rule> rules;
  };
  using Chain = std::shared_ptr<const File>;

  static Rule parse_rule(std::string_view line);
  static std::vector<Rule> parse(std::string_view text);
  static bool matches(const Rule& rule, std::string_view below_base, std::string_view name);
  static Verdict look(const File* file, std::string_view full, std::string_view name, bool is_folder);
  static void add(Chain& chain, std::size_t base_size, std::vector<Rule> rules);
  void add_files(int folder_fd, std::size_t base_size, const Present& present);

  std::shared_ptr<const std::string> prefix_;
  Chain global_;  // node_modules and the user's own
  Chain git_;     // .git/info/exclude and every .gitignore; ends in global_
  Chain plain_;   // .ignore and .rgignore, which count more
};

}  // namespace magi::toolbox
