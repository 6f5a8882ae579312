// What a run may do without asking beyond its mode: the rules of the settings and the command line, and what the user
// has granted for the session.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "tools/magi-code/permit/rule.h"

namespace magi::code::permit {

class Permissions {
 public:
  Permissions() = default;
  explicit Permissions(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }

  // kConfig: a text is no rule; `where` says where it stands.
  Result<void> add(const std::vector<std::string>& rules, std::string_view where);
  bool covers(const Subject& subject) const;

  // Exactly this, for the rest of the session.
  void grant(Subject subject) { granted_.push_back(std::move(subject)); }
  // kUsage, and nothing is granted: no rule, or one that does not cover `subject`.
  Result<void> grant(std::string_view rule, const Subject& subject);

 private:
  std::string root_;
  std::vector<Rule> rules_;
  std::vector<Subject> granted_;
};

}  // namespace magi::code::permit
