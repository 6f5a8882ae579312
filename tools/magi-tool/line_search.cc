#include "tools/magi-tool/line_search.h"

#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "libcommon/base/error.h"
#include "tools/magi-tool/byte_search.h"

namespace magi::toolbox {
namespace {

constexpr std::size_t kFirstBlock = 64 * 1024, kBlockBytes = 256 * 1024;
constexpr std::size_t kLongestLine = 16 * 1024 * 1024;  // what is longer is searched in pieces
constexpr std::size_t kNone = std::string_view::npos;

}  // namespace

struct LineSearch::Impl {
  using Matched = std::function<bool(std::int64_t, std::string_view)>;

  Impl(const std::string& pattern, const RE2::Options& options) : expression(pattern, options) {}

  RE2 expression;
  std::optional<LiteralFinder> finder;
  std::unique_ptr<char[]> buffer;
  std::size_t capacity = 0;

  void reserve(std::size_t wanted, std::size_t held) {
    if (wanted <= capacity) return;
    std::unique_ptr<char[]> larger(new char[wanted]);  // not filled with zeros: that would cost what reading costs
    if (held > 0) std::memcpy(larger.get(), buffer.get(), held);
    buffer = std::move(larger);
    capacity = wanted;
  }

  bool matches(std::string_view text, std::size_t begin, std::size_t end, re2::StringPiece& match) const {
    const re2::StringPiece all(text.data() + begin, end - begin);
    return expression.Match(all, 0, all.size(), RE2::UNANCHORED, &match, 1);
  }

  // A byte of the next line that matches, at or behind `at`, the start of a line.
  std::size_t next_match(std::string_view text, std::size_t at) const {
    if (!finder) {
      const re2::StringPiece all(text.data(), text.size());
      re2::StringPiece match;
      if (!expression.Match(all, at, text.size(), RE2::UNANCHORED, &match, 1)) return kNone;
      return static_cast<std::size_t>(match.data() - text.data());
    }
    while ((at = finder->find(text, at)) != kNone) {
      if (finder->literal().whole) return at;
      const std::size_t begin = line_start(text, at), end = std::min(text.find('\n', at), text.size());
      re2::StringPiece match;
      if (matches(text, begin, end, match)) return at;
      at = end;
    }
    return kNone;
  }

  static std::size_t line_start(std::string_view text, std::size_t at) {
    const std::size_t before = at == 0 ? kNone : text.rfind('\n', at - 1);
    return before == kNone ? 0 : before + 1;
  }

  // Whole lines in `text`; false when `matched` had enough.
  bool search_lines(std::string_view text, std::int64_t& line, bool last, const Matched& matched) const {
    std::size_t at = 0, counted = 0;
    const auto count_to = [&](std::size_t to) {
      line += static_cast<std::int64_t>(count_lines(text.substr(counted, to - counted)));
      counted = to;
    };
    while (at < text.size()) {
      const std::size_t found = next_match(text, at);
      if (found >= text.size()) break;  // none, or behind the last line's end
      const std::size_t begin = line_start(text, found), end = std::min(text.find('\n', found), text.size());
      count_to(begin);
      if (!matched(line, text.substr(begin, end - begin))) return false;
      at = end + 1;
    }
    if (!last) count_to(text.size());
    return true;
  }
};

LineSearch::LineSearch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LineSearch::LineSearch(LineSearch&&) noexcept = default;
LineSearch& LineSearch::operator=(LineSearch&&) noexcept = default;
LineSearch::~LineSearch() = default;

Result<LineSearch> LineSearch::compile(std::string_view pattern, bool ignore_case) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_nl(true);
  options.set_case_sensitive(!ignore_case);
  auto impl = std::make_unique<Impl>("(?m:" + std::string(pattern) + ")", options);
  if (!impl->expression.ok()) return make_error(ErrorCode::kUsage, "argument 'pattern': ", impl->expression.error());
  if (auto literal = required_literal(pattern, ignore_case)) impl->finder.emplace(*std::move(literal));
  return LineSearch(std::move(impl));
}

LineSearch::Found LineSearch::search(int fd, const std::function<bool(std::int64_t, std::string_view)>& matched,
                                     const std::function<bool()>& stop) {
  Impl& impl = *impl_;
  std::size_t held = 0;  // the start of a line whose end is not read yet
  std::int64_t line = 1;
  for (std::size_t block = kFirstBlock;; block = kBlockBytes) {
    impl.reserve(held + block, held);
    char* const buffer = impl.buffer.get();
    const ssize_t got = ::read(fd, buffer + held, impl.capacity - held);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Found::kUnreadable;
    const std::string_view fresh(buffer + held, static_cast<std::size_t>(got));
    if (fresh.find('\0') != kNone) return Found::kBinary;
    const std::string_view text(buffer, held + fresh.size());
    if (got == 0) {
      impl.search_lines(text, line, true, matched);
      return Found::kText;
    }
    if (stop && stop()) return Found::kText;
    const std::size_t last = fresh.rfind('\n');
    const bool too_long = text.size() >= kLongestLine;
    if (last == kNone && !too_long) {
      held = text.size();
      continue;
    }
    const std::size_t whole = last == kNone ? text.size() : held + last + 1;
    if (!impl.search_lines(text.substr(0, whole), line, false, matched)) return Found::kText;
    held = text.size() - whole;
    std::memmove(buffer, text.data() + whole, held);
  }
}

}  // namespace magi::toolbox
