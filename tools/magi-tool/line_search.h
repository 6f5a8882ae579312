// Finds the lines of a file that match a regular expression (RE2), in blocks: memory does not depend on the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::toolbox {

class LineSearch {
 public:
  // RE2 syntax; never matches across lines.  kUsage: what is wrong with the pattern.
  static Result<LineSearch> compile(std::string_view pattern, bool ignore_case = false);
  LineSearch(LineSearch&&) noexcept;
  LineSearch& operator=(LineSearch&&) noexcept;
  ~LineSearch();

  enum class Found { kText, kBinary, kUnreadable };
  // Calls `matched` with number and text of each matching line, without its end, until it returns false.  A file with a
  // NUL byte is binary: nothing from that byte's block on is searched.  `stop`, if given, is asked once a block.
  Found search(int fd, const std::function<bool(std::int64_t line, std::string_view text)>& matched,
               const std::function<bool()>& stop = {});

 private:
  struct Impl;
  explicit LineSearch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace magi::toolbox
