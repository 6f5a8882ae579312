// grep: lines that match a regular expression, in files that a search does not leave out.
#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <vector>

#include "libcommon/base/clock.h"
#include "tools/magi-tool/findings.h"
#include "tools/magi-tool/glob.h"
#include "tools/magi-tool/line_search.h"
#include "tools/magi-tool/search_scope.h"
#include "tools/magi-tool/session.h"
#include "tools/magi-tool/text.h"
#include "tools/magi-tool/tools/tools.h"

namespace magi::toolbox {
namespace {

constexpr Parameter kParameters[] = {
    {"pattern", Type::kString, true, "RE2 regular expression"},
    {"path", Type::kString, false, "file or folder"},
    {"glob", Type::kString, false, "file names, as *.{h,cc}"},
    {"ignore_case", Type::kBoolean, false, ""},
    {"names_only", Type::kBoolean, false, "files, with the number of matching lines"},
    {"all", Type::kBoolean, false, "hidden and git-ignored files too"},
};

constexpr std::size_t kShownCharacters = kViewCharacters - 600;  // leaves room for the closing remarks
constexpr std::size_t kLineCharacters = 400;
constexpr std::int64_t kMostCounted = 100'000;
constexpr std::int64_t kTimeLimitNs = 60'000'000'000;

class Grep {
 public:
  explicit Grep(const Arguments& arguments)
      : pattern_(*arguments.text("pattern")),
        ignore_case_(arguments.flag("ignore_case")),
        names_only_(arguments.flag("names_only")) {}

  // An expression a thread: one that is shared would make them wait for each other.
  Result<void> prepare(unsigned threads) {
    for (unsigned one = 0; one < threads; ++one) {
      MAGI_TRY(LineSearch search, LineSearch::compile(pattern_, ignore_case_));
      searches_.push_back(std::move(search));
    }
    return {};
  }

  // `stop` is asked now and then.  False when enough was found.
  bool file(unsigned worker, int fd, const std::string& shown, const std::function<bool()>& stop) {
    std::string lines;
    std::int64_t count = 0;
    bool wanted = false;
    const auto found = searches_[worker].search(
        fd,
        [&](std::int64_t line, std::string_view text) {
          if (count++ == 0) wanted = !names_only_ && findings_.wants(shown);
          if (wanted && lines.size() < kShownCharacters) add_line(lines, shown, line, text);
          const std::int64_t all = ++matches_;
          return all < kMostCounted && !(all % 64 == 0 && stop());
        },
        stop);
    binary_ += found == LineSearch::Found::kBinary;
    unreadable_ += found == LineSearch::Found::kUnreadable;
    if (count == 0) return true;
    if (names_only_) lines = one_line(shown) + ": " + counted(count, "line", "lines") + '\n';
    findings_.add(shown, std::move(lines), names_only_ ? 1 : count);
    return matches_ < kMostCounted;
  }
  void cannot_open() { ++unreadable_; }

  std::string text(const Walk* walk) const {
    std::int64_t shown = 0;
    std::string out = findings_.text(shown);
    if (matches_ == 0)
      out += "no match\n";
    else if (shown < findings_.lines())
      out += "[" + std::string(matches_ >= kMostCounted ? "more than " : "") + counted(matches_, "match", "matches") +
             " in " + counted(findings_.paths(), "file", "files") + "; the first " + std::to_string(shown) +
             " are shown: narrow the pattern, path or glob, or use names_only]\n";
    SkippedFiles skipped{.binary = binary_, .unreadable = unreadable_};
    if (walk != nullptr) skipped.add(walk->skipped());
    return out + skipped.remark();
  }

 private:
  static void add_line(std::string& lines, const std::string& path, std::int64_t line, std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    std::string entry = one_line(path) + ':' + std::to_string(line) + ':';
    append_clipped(entry, visible(std::string(text)), kLineCharacters);
    lines += entry += '\n';
  }

  std::string pattern_;
  bool ignore_case_, names_only_;
  std::vector<LineSearch> searches_;
  Findings findings_{kShownCharacters};
  std::atomic<std::int64_t> matches_ = 0, binary_ = 0, unreadable_ = 0;
};

// The folder, and everything in it that is searched.
Result<void> search_folder(Call& call, const Place& start, Grep& grep, Outcome& outcome) {
  const std::string* const glob_text = call.arguments.text("glob");
  const Glob glob(glob_text ? *glob_text : "*");
  const std::string prefix = start.shown == "." ? "" : start.shown + '/';
  const std::int64_t deadline = monotonic_ns() + kTimeLimitNs;
  bool late = false;
  Walk walk(call.session.workspace, search_options(call, glob_text),
            [&] { return call.cancelled() || (late = monotonic_ns() > deadline); });
  MAGI_CHECK(grep.prepare(walk.threads()));
  const auto stop = [&] { return walk.stopped(); };
  MAGI_CHECK(walk.run(start, [&](unsigned worker, const WalkEntry& entry) {
    if (!entry.is_regular || (glob_text != nullptr && !glob.matches(entry.path))) return Walk::Next::kGoOn;
    const os::Fd file(::openat(entry.folder, entry.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) {
      grep.cannot_open();
      return Walk::Next::kGoOn;
    }
    std::string shown;
    shown.reserve(prefix.size() + entry.path.size());
    shown.append(prefix).append(entry.path);
    return grep.file(worker, file.get(), shown, stop) ? Walk::Next::kGoOn : Walk::Next::kStop;
  }));
  outcome.output = grep.text(&walk);
  if (walk.was_cancelled()) outcome.status = late ? Status::kTimedOut : Status::kCancelled;
  if (late) outcome.output += "[stopped after 60 s: narrow the path or glob]\n";
  return {};
}

Result<Outcome> run(Call& call) {
  const Workspace& workspace = call.session.workspace;
  const std::string* const path = call.arguments.text("path");
  MAGI_TRY(const Place start, workspace.locate(path ? *path : "."));
  MAGI_CHECK(allow_read(call, start));
  call.effects.kind = "read";
  call.details.provenance = start.outside ? provenance::kOutside : provenance::kWorkspace;
  Grep grep(call.arguments);
  Outcome outcome;
  MAGI_TRY(const os::Fd what, workspace.open(start, O_PATH));
  struct stat status {};
  if (::fstat(what.get(), &status) == 0 && !S_ISDIR(status.st_mode)) {
    MAGI_TRY(const os::Fd file, open_regular(workspace, start));
    MAGI_CHECK(grep.prepare(1));
    grep.file(0, file.get(), start.shown, call.cancelled);
    outcome.output = grep.text(nullptr);
  } else {
    MAGI_CHECK(search_folder(call, start, grep, outcome));
  }
  return outcome;
}

}  // namespace

const Tool kGrep{"grep", "Search file contents; hidden and git-ignored files are skipped.", kParameters, "pattern",
                 run};

}  // namespace magi::toolbox
