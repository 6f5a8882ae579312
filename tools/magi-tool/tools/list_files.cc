// list_files: what one folder holds.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tools/magi-tool/session.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {{"path", Type::kString, false, "folder"}};

constexpr std::size_t kShownCharacters = kViewCharacters - 400;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::string describe(int folder, const std::string& name) {
  struct stat status {};
  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return name;
  if (S_ISDIR(status.st_mode)) return name + '/';
  if (S_ISLNK(status.st_mode)) return name + '@';
  if (!S_ISREG(status.st_mode)) return name + " (special)";
  return name + ' ' + std::to_string(status.st_size);
}

Result<Outcome> run(Call& call) {
  const Workspace& workspace = call.session.workspace;
  const std::string* const path = call.arguments.text("path");
  MAGI_TRY(const Place place, workspace.locate(path ? *path : "."));
  MAGI_CHECK(allow_read(call, place));
  call.effects.kind = "read";
  call.details.provenance = place.outside ? provenance::kOutside : provenance::kWorkspace;
  MAGI_TRY(os::Fd folder, workspace.open(place, O_RDONLY | O_DIRECTORY));
  const std::unique_ptr<DIR, CloseFolder> entries(::fdopendir(folder.get()));
  if (!entries) return errno_error(quoted(place.shown), errno);
  folder.release();
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(entries.get()))
    if (const std::string_view name = entry->d_name; name != "." && name != "..") names.emplace_back(name);
  std::sort(names.begin(), names.end());
  Outcome outcome;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    const std::string line = one_line(describe(::dirfd(entries.get()), name)) + '\n';
    if (outcome.output.size() + line.size() > kShownCharacters) break;
    outcome.output += line;
    ++shown;
  }
  if (names.empty()) outcome.output = "[empty folder]\n";
  if (shown < names.size()) outcome.output += "[" + std::to_string(names.size() - shown) + " more entries; use find]\n";
  return outcome;
}

}  // namespace

const Tool kListFiles{"list_files", "List a folder: name and size, / folder, @ link.", kParameters, "path", run};

}  // namespace magi::toolbox
