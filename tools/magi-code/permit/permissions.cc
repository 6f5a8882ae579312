#include "tools/magi-code/permit/permissions.h"

#include <algorithm>

namespace magi::code::permit {

Result<void> Permissions::add(const std::vector<std::string>& rules, std::string_view where) {
  for (const std::string& text : rules) {
    auto rule = Rule::parse(text, root_);
    if (!rule) return make_error(ErrorCode::kConfig, where, ": ", rule.error().what);
    rules_.push_back(*std::move(rule));
  }
  return {};
}

bool Permissions::covers(const Subject& subject) const {
  const auto covered = [&](const Rule& rule) { return rule.covers(subject); };
  const auto same = [&](const Subject& granted) {
    return granted.kind == subject.kind && granted.tool == subject.tool && granted.what == subject.what;
  };
  return std::any_of(rules_.begin(), rules_.end(), covered) || std::any_of(granted_.begin(), granted_.end(), same);
}

Result<void> Permissions::grant(std::string_view text, const Subject& subject) {
  MAGI_TRY(Rule rule, Rule::parse(text, root_));
  if (!rule.covers(subject))
    return make_error(ErrorCode::kUsage, "rule ", quoted(text), " does not cover what is asked");
  rules_.push_back(std::move(rule));
  return {};
}

}  // namespace magi::code::permit
