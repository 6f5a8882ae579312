// find: files whose names match a pattern, among those that a search does not leave out.
#include "tools/magi-tool/findings.h"
#include "tools/magi-tool/glob.h"
#include "tools/magi-tool/search_scope.h"
#include "tools/magi-tool/session.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {
    {"pattern", Type::kString, true, "glob, as *.cc or src/**/test_*"},
    {"path", Type::kString, false, "folder"},
    {"all", Type::kBoolean, false, "hidden and git-ignored ones too"},
};

constexpr std::size_t kShownCharacters = kViewCharacters - 600;

Result<Outcome> run(Call& call) {
  const Workspace& workspace = call.session.workspace;
  const std::string* const path = call.arguments.text("path");
  MAGI_TRY(const Place start, workspace.locate(path ? *path : "."));
  MAGI_CHECK(allow_read(call, start));
  call.effects.kind = "read";
  call.details.provenance = start.outside ? provenance::kOutside : provenance::kWorkspace;
  const std::string& pattern = *call.arguments.text("pattern");
  const Glob glob(pattern);
  const std::string prefix = start.shown == "." ? "" : start.shown + '/';
  Findings findings(kShownCharacters);
  Walk walk(workspace, search_options(call, &pattern), call.cancelled);
  MAGI_CHECK(walk.run(start, [&](unsigned, const WalkEntry& entry) {
    if (!glob.matches(entry.path)) return Walk::Next::kGoOn;
    const bool wanted = findings.wants(entry.path);
    findings.add(entry.path,
                 wanted ? one_line(prefix + std::string(entry.path)) + (entry.is_folder ? "/\n" : "\n") : std::string(),
                 1);
    return Walk::Next::kGoOn;
  }));
  Outcome outcome;
  std::int64_t shown = 0;
  outcome.output = findings.text(shown);
  if (findings.lines() == 0)
    outcome.output = "no match\n";
  else if (shown < findings.lines())
    outcome.output += "[" + std::to_string(findings.lines()) + " found, the first " + std::to_string(shown) +
                      " shown: narrow the pattern or path]\n";
  SkippedFiles skipped;
  skipped.add(walk.skipped());
  outcome.output += skipped.remark();
  if (walk.was_cancelled()) outcome.status = Status::kCancelled;
  return outcome;
}

}  // namespace

const Tool kFind{"find", "Find files and folders by name; hidden and git-ignored ones are skipped.", kParameters,
                 "pattern", run};

}  // namespace magi::toolbox
