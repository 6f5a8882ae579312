// A window of numbered lines, cut out of a text that comes in pieces: memory does not depend on the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/magi-tool/replacement.h"
#include "tools/magi-tool/text.h"

namespace magi::toolbox {

struct Window {
  static constexpr std::int64_t kLines = 2'000;
  std::int64_t offset = 1, limit = kLines;
  std::size_t characters = kViewCharacters - 400;  // what may still be written; leaves room for the closing remark
  bool anchors = false;                            // "12:a3f1|text" instead of "12\ttext"
};

class LineWindow {
 public:
  LineWindow(const Window& window, std::string& out) : window_(window), out_(out) {}

  void take(std::string_view piece);
  void finish();  // behind the last piece

  std::int64_t first() const { return window_.offset; }
  std::int64_t last() const { return last_; }
  // Whole lines of the text, or 0 where the end was not seen.
  std::int64_t lines() const { return at_end_ ? line_ - (column_start_ ? 1 : 0) : 0; }
  bool full() const { return full_; }         // more lines follow than fit
  std::size_t used() const { return used_; }  // characters
  std::uint64_t replaced() const { return replaced_; }
  std::int64_t crlf() const { return crlf_; }

 private:
  void end_line();
  void show_line();

  static constexpr std::size_t kLineCharacters = 2'000;
  static constexpr std::size_t kKeptBytes = 4 * kLineCharacters + 4;

  Window window_;
  std::string& out_;
  std::string current_;              // of the line being read, at most kKeptBytes
  std::uint64_t current_bytes_ = 0;  // of it altogether
  LineDigest digest_;
  std::int64_t line_ = 1, last_ = 0, crlf_ = 0;
  bool column_start_ = true, full_ = false, at_end_ = false;
  std::size_t used_ = 0;
  std::uint64_t replaced_ = 0;
};

}  // namespace magi::toolbox
