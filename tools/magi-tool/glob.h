// Shell-like patterns as git matches them: '*' and '?' stop at '/', "**" does not, '[...]' are classes, '\' quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace magi::toolbox {

// The whole of `path` ("a/b/c") against `pattern`.  "**/" at the start or between slashes stands for any folders, none
// included; "/**" at the end for everything inside.  Linear in practice, quadratic at worst per "**".
bool glob_match(std::string_view pattern, std::string_view path);

// A pattern that a tool was given: {a,b} is expanded; without '/' it is matched against the last component.
class Glob {
 public:
  explicit Glob(std::string_view pattern);
  bool matches(std::string_view path) const;

 private:
  struct Pattern {
    std::string text;
    bool name_only;  // without '/': only the last component counts
  };
  std::vector<Pattern> patterns_;
};

}  // namespace magi::toolbox
