// Git as a child that reads and runs nothing of the repository's own: no external diff, textconv, filter, hook, file
// system monitor, pager or transport, whatever the repository's configuration says.  Writes nothing, not even the
// index.
#pragma once

#include <string>
#include <vector>

#include "tools/magi-code/tui/load/child_text.h"
#include "tools/magi-code/tui/load/load.h"

namespace magi::code::tui {

class Git {
 public:
  // kNotFound: no git, or `source.cwd` lies in no working tree.  kLimit, kIo.
  static Result<Git> open(const Source& source);

  const std::string& root() const { return root_; }  // of the working tree
  // What `git diff` compares with: HEAD, or the empty tree before the first commit.
  const std::string& base() const { return base_; }

  // In the root.  An exit status that is not 0 is an error with git's own words left out.
  Result<ChildText> run(std::vector<std::string> arguments, std::size_t max_bytes) const;

 private:
  Result<ChildText> start(std::vector<std::string> arguments, std::size_t max_bytes) const;
  Result<void> learn_filters();
  Result<void> learn_base();

  std::string program_, root_, base_;
  std::vector<std::string> environment_;
  std::vector<std::string> overrides_;  // -c KEY=VALUE ...
};

}  // namespace magi::code::tui
