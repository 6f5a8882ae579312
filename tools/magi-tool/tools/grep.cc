// grep: lines that match a regular expression, in files that git would not ignore.
#include <fcntl.h>
#include <sys/stat.h>

#include "libcommon/base/clock.h"
#include "tools/magi-tool/glob.h"
#include "tools/magi-tool/line_search.h"
#include "tools/magi-tool/session.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"
#include "tools/magi-tool/walk.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {
    {"pattern", Type::kString, true, "RE2 regular expression"},
    {"path", Type::kString, false, "file or folder"},
    {"glob", Type::kString, false, "file names, as *.{h,cc}"},
};

constexpr std::size_t kShownCharacters = kViewCharacters - 400;  // leaves room for the closing remark
constexpr std::size_t kLineCharacters = 400;
constexpr std::int64_t kMostCounted = 10'000;
constexpr std::int64_t kTimeLimitNs = 60'000'000'000;

class Grep {
 public:
  Grep(Call& call, LineSearch search) : call_(call), search_(std::move(search)) {}

  // False when enough was found.
  bool file(int fd, const std::string& shown) {
    bool any = false;
    const auto found = search_.search(fd, [&](std::int64_t line, std::string_view text) {
      files_ += !std::exchange(any, true);
      ++matches_;
      show(shown, line, text);
      return matches_ < kMostCounted && !(matches_ % 64 == 0 && call_.cancelled());
    });
    binary_ += found == LineSearch::Found::kBinary;
    unreadable_ += found == LineSearch::Found::kUnreadable;
    return matches_ < kMostCounted;
  }
  void add_unreadable(std::int64_t count) { unreadable_ += count; }
  std::int64_t matches() const { return matches_; }

  std::string text() && {
    std::string out = std::move(out_);
    if (matches_ == 0)
      out += "no match\n";
    else if (shown_ < matches_)
      out += "[" + std::string(matches_ >= kMostCounted ? "more than " : "") + counted(matches_, "match", "matches") +
             " in " + counted(files_, "file", "files") + "; the first " + std::to_string(shown_) +
             " are shown: narrow the pattern, path or glob]\n";
    if (binary_ > 0) out += "[" + counted(binary_, "binary file", "binary files") + " skipped]\n";
    if (unreadable_ > 0)
      out += "[" + counted(unreadable_, "file or folder", "files or folders") + " could not be read]\n";
    return out;
  }

 private:
  void show(const std::string& path, std::int64_t line, std::string_view text) {
    if (shown_ + 1 < matches_) return;  // already full: order matters more than squeezing in a short one
    if (text.ends_with('\r')) text.remove_suffix(1);
    std::string entry = path + ':' + std::to_string(line) + ':';
    append_clipped(entry, visible(std::string(text)), kLineCharacters);
    entry += '\n';
    if (out_.size() + entry.size() > kShownCharacters) return;
    out_ += entry;
    ++shown_;
  }

  Call& call_;
  LineSearch search_;
  std::string out_;
  std::int64_t matches_ = 0, shown_ = 0, files_ = 0, binary_ = 0, unreadable_ = 0;
};

Result<Outcome> run(Call& call) {
  const Workspace& workspace = call.session.workspace;
  MAGI_TRY(LineSearch search, LineSearch::compile(*call.arguments.text("pattern")));
  const std::string* const path = call.arguments.text("path");
  MAGI_TRY(const Place start, workspace.locate(path ? *path : "."));
  MAGI_CHECK(allow_read(call, start));
  call.effects.kind = "read";
  call.details.provenance = start.outside ? provenance::kOutside : provenance::kWorkspace;
  Grep grep(call, std::move(search));
  Outcome outcome;

  MAGI_TRY(const os::Fd what, workspace.open(start, O_PATH));
  struct stat status {};
  if (::fstat(what.get(), &status) == 0 && !S_ISDIR(status.st_mode)) {
    MAGI_TRY(const os::Fd file, open_regular(workspace, start));
    grep.file(file.get(), start.shown);
    outcome.output = std::move(grep).text();
    return outcome;
  }

  const std::string* const glob_text = call.arguments.text("glob");
  const Glob glob(glob_text ? *glob_text : "*");
  const std::string prefix = start.shown == "." ? "" : start.shown + '/';
  const std::int64_t deadline = monotonic_ns() + kTimeLimitNs;
  bool late = false;
  Walk walk(workspace, [&] { return call.cancelled() || (late = monotonic_ns() > deadline); });
  MAGI_CHECK(walk.run(start, [&](const WalkEntry& entry) {
    if (!entry.is_regular || !glob.matches(entry.path)) return Walk::Next::kGoOn;
    const os::Fd file(::openat(entry.folder, entry.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file)
      grep.add_unreadable(1);
    else if (!grep.file(file.get(), prefix + std::string(entry.path)))
      return Walk::Next::kStop;
    return Walk::Next::kGoOn;
  }));
  grep.add_unreadable(walk.unreadable_folders());
  outcome.output = std::move(grep).text();
  if (walk.was_cancelled()) outcome.status = late ? Status::kTimedOut : Status::kCancelled;
  if (late) outcome.output += "[stopped after 60 s: narrow the path or glob]\n";
  return outcome;
}

}  // namespace

const Tool kGrep{"grep", "Search file contents; git-ignored files are skipped.", kParameters, "pattern", run};

}  // namespace magi::toolbox
