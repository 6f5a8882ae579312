#include "tools/magi-tool/line_search.h"

#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libcommon/base/error.h"

namespace magi::toolbox {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::size_t kLongestLine = 16 * 1024 * 1024;  // what is longer is searched in pieces

}  // namespace

struct LineSearch::Impl {
  explicit Impl(const std::string& pattern, const RE2::Options& options) : expression(pattern, options) {}
  RE2 expression;
  std::string buffer;

  // Whole lines in `text`; false when `matched` had enough.
  bool search_lines(std::string_view text, std::int64_t& line,
                    const std::function<bool(std::int64_t, std::string_view)>& matched) {
    const re2::StringPiece all(text.data(), text.size());
    std::size_t at = 0, counted = 0;
    while (at < text.size()) {
      re2::StringPiece match;
      if (!expression.Match(all, at, text.size(), RE2::UNANCHORED, &match, 1)) break;
      const auto found = static_cast<std::size_t>(match.data() - text.data());
      if (found >= text.size()) break;  // behind the last line's end
      const std::size_t before = found == 0 ? std::string_view::npos : text.rfind('\n', found - 1);
      const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
      const std::size_t end = std::min(text.find('\n', found), text.size());
      line += std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                         text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
      counted = begin;
      if (!matched(line, text.substr(begin, end - begin))) return false;
      at = end + 1;
    }
    line += std::count(text.begin() + static_cast<std::ptrdiff_t>(counted), text.end(), '\n');
    return true;
  }
};

LineSearch::LineSearch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LineSearch::LineSearch(LineSearch&&) noexcept = default;
LineSearch::~LineSearch() = default;

Result<LineSearch> LineSearch::compile(std::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_nl(true);
  auto impl = std::make_unique<Impl>("(?m:" + std::string(pattern) + ")", options);
  if (!impl->expression.ok()) return make_error(ErrorCode::kUsage, "argument 'pattern': ", impl->expression.error());
  return LineSearch(std::move(impl));
}

LineSearch::Found LineSearch::search(int fd, const std::function<bool(std::int64_t, std::string_view)>& matched) {
  std::string& buffer = impl_->buffer;
  std::size_t held = 0;  // the start of a line whose end is not read yet
  std::int64_t line = 1;
  for (;;) {
    buffer.resize(std::max(buffer.size(), held + kBlockBytes));
    const ssize_t got = ::read(fd, buffer.data() + held, buffer.size() - held);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Found::kUnreadable;
    const std::string_view fresh(buffer.data() + held, static_cast<std::size_t>(got));
    if (fresh.find('\0') != std::string_view::npos) return Found::kBinary;
    const std::string_view text(buffer.data(), held + fresh.size());
    if (got == 0) {
      impl_->search_lines(text, line, matched);
      return Found::kText;
    }
    const std::size_t last = fresh.rfind('\n');
    const bool too_long = text.size() >= kLongestLine;
    if (last == std::string_view::npos && !too_long) {
      held = text.size();
      continue;
    }
    const std::size_t whole = last == std::string_view::npos ? text.size() : held + last + 1;
    if (!impl_->search_lines(text.substr(0, whole), line, matched)) return Found::kText;
    held = text.size() - whole;
    std::copy(text.begin() + static_cast<std::ptrdiff_t>(whole), text.end(), buffer.begin());
  }
}

}  // namespace magi::toolbox
