#include "tools/magi-tool/change_set.h"

#include <algorithm>
#include <string_view>

namespace magi::toolbox {
namespace {

Change change_of(const ChangeSet::Step& step, std::string_view kind) {
  Change change{.content = {}, .kind = kind, .mode = step.mode};
  if (step.content) change.content = *step.content;
  return change;
}

}  // namespace

Result<void> ChangeSet::add(Step step) {
  const auto same = [&](const Step& other) { return other.target.place.shown == step.target.place.shown; };
  if (std::any_of(steps_.begin(), steps_.end(), same))
    return make_error(ErrorCode::kUsage, quoted(step.target.place.shown),
                      " is named twice; nothing was changed. Put all of its hunks under one heading.");
  steps_.push_back(std::move(step));
  return {};
}

Result<void> ChangeSet::publish_all(std::string_view kind) {
  for (Step& step : steps_) {
    MAGI_CHECK(make_folders(call_, step.target));
    MAGI_TRY(const struct stat status, apply_change(call_, step.target, change_of(step, kind)));
    written_.push_back(status);
  }
  return {};
}

std::string ChangeSet::take_back_all(std::string_view kind) {
  std::string left;
  for (std::size_t at = written_.size(); at-- > 0;) {
    const Step& step = steps_[at];
    if (const auto done = take_back(call_, step.target, change_of(step, kind), written_[at]); !done)
      left.append(left.empty() ? "" : ", ").append(step.target.place.shown).append(" (" + done.error().what + ")");
  }
  return left;
}

Result<void> ChangeSet::publish(std::string_view kind) {
  const Effects before = call_.effects;
  const Result<void> done = publish_all(kind);
  if (done) return {};
  const std::size_t published = written_.size();
  const Effects after = call_.effects;
  const std::string left = take_back_all(kind);
  // The effects name what was changed for good; what was put back holds what it held.
  call_.effects = left.empty() ? before : after;
  call_.effects.kind = kind;
  if (left.empty())
    return make_error(done.error().code, done.error().what, published > 0 ? "; the files before it were put back" : "",
                      "; nothing was changed");
  return make_error(done.error().code, done.error().what, "; these could not be put back: ", left);
}

}  // namespace magi::toolbox
