#include "tools/magi-tool/search_scope.h"

#include "tools/magi-tool/session.h"

namespace magi::toolbox {

WalkOptions search_options(const Call& call, const std::string* pattern) {
  const bool all = call.arguments.flag("all");
  const bool names_hidden = pattern != nullptr && (pattern->starts_with('.') || pattern->find("/.") != pattern->npos ||
                                                   pattern->find("{.") != pattern->npos);
  const config::Environment& environment = call.session.environment;
  WalkOptions options;
  options.hidden = all || names_hidden;
  options.ignored = all;
  if (!all)
    options.global_file = global_ignore_file(std::string(environment.get_or("HOME", "")),
                                             std::string(environment.get_or("XDG_CONFIG_HOME", "")));
  return options;
}

void SkippedFiles::add(const Walk::Skipped& walk) {
  hidden += walk.hidden;
  ignored += walk.ignored;
  unreadable += walk.unreadable_folders;
}

std::string SkippedFiles::remark() const {
  std::string out;
  const auto say = [&](std::int64_t count, std::string_view what) {
    if (count > 0) out.append(out.empty() ? "[skipped: " : ", ").append(std::to_string(count)).append(what);
  };
  say(hidden, " hidden");
  say(ignored, " ignored");
  if (!out.empty()) out += " (all: true takes them)";
  say(binary, " binary");
  say(unreadable, " unreadable");
  return out.empty() ? out : out + "]\n";
}

}  // namespace magi::toolbox
