// find: files whose names match a pattern, among those that git would not ignore.
#include "tools/magi-tool/glob.h"
#include "tools/magi-tool/session.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"
#include "tools/magi-tool/walk.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {
    {"pattern", Type::kString, true, "glob, as *.cc or src/**/test_*"},
    {"path", Type::kString, false, "folder"},
};

constexpr std::size_t kShownCharacters = kViewCharacters - 400;
constexpr std::int64_t kMostCounted = 100'000;

Result<Outcome> run(Call& call) {
  const Workspace& workspace = call.session.workspace;
  const std::string* const path = call.arguments.text("path");
  MAGI_TRY(const Place start, workspace.locate(path ? *path : "."));
  MAGI_CHECK(allow_read(call, start));
  call.effects.kind = "read";
  call.details.provenance = start.outside ? provenance::kOutside : provenance::kWorkspace;
  const Glob glob(*call.arguments.text("pattern"));
  const std::string prefix = start.shown == "." ? "" : start.shown + '/';
  Outcome outcome;
  std::string& out = outcome.output;
  std::int64_t found = 0, shown = 0;
  Walk walk(workspace, call.cancelled);
  MAGI_CHECK(walk.run(start, [&](const WalkEntry& entry) {
    if (!glob.matches(entry.path)) return Walk::Next::kGoOn;
    ++found;
    const std::string line = visible(prefix + std::string(entry.path) + (entry.is_folder ? "/\n" : "\n"));
    if (shown + 1 == found && out.size() + line.size() <= kShownCharacters) {
      out += line;
      ++shown;
    }
    return found < kMostCounted ? Walk::Next::kGoOn : Walk::Next::kStop;
  }));
  if (found == 0)
    out = "no match\n";
  else if (shown < found)
    out += "[" + std::string(found >= kMostCounted ? "at least " : "") + std::to_string(found) + " found, the first " +
           std::to_string(shown) + " shown: narrow the pattern or path]\n";
  if (walk.unreadable_folders() > 0)
    out += "[" + counted(walk.unreadable_folders(), "folder", "folders") + " could not be read]\n";
  if (walk.was_cancelled()) outcome.status = Status::kCancelled;
  return outcome;
}

}  // namespace

const Tool kFind{"find", "Find files and folders by name; git-ignored ones are skipped.", kParameters, "pattern", run};

}  // namespace magi::toolbox
