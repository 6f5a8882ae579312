// The working tree against HEAD, for the Changes view.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "tools/magi-code/review/comment_store.h"
#include "tools/magi-code/review/placed_comments.h"
#include "tools/magi-code/tui/load/diff_output.h"
#include "tools/magi-code/tui/load/git.h"
#include "tools/magi-code/tui/load/loaders.h"

namespace magi::code::tui {
namespace {

constexpr std::size_t kMostDiffBytes = 16u << 20, kMostListBytes = 4u << 20, kMostUntrackedBytes = 128 * 1024;
// Read, that is; all of them are listed.
constexpr std::size_t kMostUntracked = 2000, kMostUntrackedRead = 200;

// The beginning of a regular file; nothing of links and the like.
std::optional<std::string> read_beginning(const std::string& path, bool& cut) {
  const os::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::string text(kMostUntrackedBytes, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto more = os::read_some(file.get(), text.data() + size, text.size() - size);
    if (!more) return std::nullopt;
    if (*more == 0) break;
    size += *more;
  }
  text.resize(size);
  cut = info.st_size > static_cast<off_t>(size);
  return text;
}

Result<void> add_untracked(const Git& git, WorktreeData& data) {
  MAGI_TRY(const ChildText list, git.run({"ls-files", "--others", "--exclude-standard", "-z"}, kMostListBytes));
  std::size_t count = 0;
  for (std::string_view rest = list.text; !rest.empty(); ++count) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    if (count < kMostUntracked && end < rest.size()) {
      DiffFile file;
      file.path = rest.substr(0, end);
      file.status = "untracked";
      bool cut = false;
      const auto text = count < kMostUntrackedRead ? read_beginning(git.root() + '/' + file.path, cut) : std::nullopt;
      if (text)
        show_as_added(file, *text, cut);
      else
        file.note = count < kMostUntrackedRead ? "no regular file" : "not read: there are many";
      data.files.push_back(std::move(file));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (count > kMostUntracked || list.cut)
    data.note = "more than " + std::to_string(kMostUntracked) + " untracked files: the others are not listed";
  return {};
}

}  // namespace

Result<std::vector<ReviewComment>> load_comments(const Source& source) {
  std::vector<ReviewComment> rows;
  if (source.session_id.empty()) return rows;
  MAGI_TRY(auto comments, review::CommentStore(source.home, source.session_id).read());
  for (review::PlacedComment& placed : review::place_comments(std::move(comments))) {
    const review::Anchor& anchor = placed.comment.anchor;
    // A removed line has its number in the old file, where it stays as long as its gap is found.
    const std::int64_t line = !placed.line ? 0 : anchor.side == review::kOldSide ? anchor.line : *placed.line;
    rows.push_back({placed.comment.id, anchor.path, anchor.side, anchor.quoted, placed.comment.text, line,
                    placed.comment.is_resolved()});
  }
  return rows;
}

Result<PanelData> load_diff(const Source& source) {
  MAGI_TRY(const Git git, Git::open(source));
  WorktreeData data;
  data.root = git.root();
  MAGI_TRY(const ChildText diff,
           git.run({"diff", "--raw", "--patch", "-z", "--abbrev=7", "--no-color", "--no-ext-diff", "--no-textconv",
                    "--src-prefix=a/", "--dst-prefix=b/", "--find-renames", "--unified=3", "--inter-hunk-context=0",
                    "--ignore-submodules=all", "--no-relative", "--submodule=short", git.base(), "--"},
                   kMostDiffBytes));
  data.files = parse_diff_output(diff.text, diff.cut);
  if (diff.cut) data.note = "the diff is larger than 16 MiB: only its beginning is shown";
  MAGI_CHECK(add_untracked(git, data));
  MAGI_TRY(data.comments, load_comments(source));
  return PanelData(std::move(data));
}

}  // namespace magi::code::tui
