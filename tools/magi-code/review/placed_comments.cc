#include "tools/magi-code/review/placed_comments.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "libcommon/os/fd.h"
#include "libcommon/os/io.h"
#include "tools/magi-code/review/anchor.h"

namespace magi::code::review {
namespace {

constexpr std::size_t kMostFileBytes = 16u << 20;

bool stays_below_root(std::string_view path) {
  if (path.empty() || path.front() == '/') return false;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == "..") return false;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return true;
}

// Text of the file, or why its lines cannot be looked at.
Result<std::string> read_commented(const Anchor& anchor) {
  if (!stays_below_root(anchor.path) || anchor.root.empty() || anchor.root.front() != '/')
    return make_error(ErrorCode::kUnsafe, "its path leads out of the working tree");
  const std::string path = anchor.root + '/' + anchor.path;
  const os::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return make_error(ErrorCode::kNotFound, "the file is gone");
  if (!file && errno == ELOOP) return make_error(ErrorCode::kUnsafe, "the file is a link");
  if (!file) return errno_error("the file cannot be read", errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return make_error(ErrorCode::kUnsafe, "it is no regular file");
  auto text = os::read_all(file.get(), kMostFileBytes);
  if (!text && text.error().code == ErrorCode::kLimit)
    return make_error(ErrorCode::kLimit, "the file is larger than 16 MiB");
  return text;
}

void place(PlacedComment& placed, const Result<std::string>& text, const std::vector<std::string_view>& lines) {
  if (!text) {
    placed.lost_why = text.error().what;
    return;
  }
  placed.line = find_anchor(lines, placed.comment.anchor);
  if (!placed.line) placed.lost_why = "the line is gone";
}

}  // namespace

std::vector<PlacedComment> place_comments(std::vector<Comment> comments) {
  const auto file_of = [](const PlacedComment& p) { return std::tie(p.comment.anchor.root, p.comment.anchor.path); };
  std::vector<PlacedComment> placed;
  for (Comment& comment : comments) placed.push_back({std::move(comment), {}, {}});
  std::stable_sort(placed.begin(), placed.end(), [&](const auto& a, const auto& b) { return file_of(a) < file_of(b); });
  for (std::size_t first = 0; first < placed.size();) {
    std::size_t last = first;
    const auto text = read_commented(placed[first].comment.anchor);
    const auto lines = text ? split_lines(*text) : std::vector<std::string_view>();
    while (last < placed.size() && file_of(placed[last]) == file_of(placed[first])) place(placed[last++], text, lines);
    const auto line_of = [](const PlacedComment& p) { return p.line.value_or(p.comment.anchor.line); };
    std::stable_sort(placed.begin() + static_cast<std::ptrdiff_t>(first),
                     placed.begin() + static_cast<std::ptrdiff_t>(last),
                     [&](const auto& a, const auto& b) { return line_of(a) < line_of(b); });
    first = last;
  }
  return placed;
}

}  // namespace magi::code::review
