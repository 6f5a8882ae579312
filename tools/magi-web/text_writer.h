// Text laid out in blocks: white space collapsed, blank lines between blocks, each line behind the prefix of what it is
// nested in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace magi::web {

class TextWriter {
 public:
  // Running text; white space collapses, also across calls.
  void text(std::string_view text);
  // As it is, line by line.
  void preformatted(std::string_view text);
  // The line ends here, whatever follows.
  void line_break();
  // The next text begins a line of its own (1), or one behind a blank line (2).
  void block(int lines);

  // `first` stands once, before the first line that follows; `others` before every further one, until pop().
  void push(std::string_view first, std::string_view others);
  void pop();

  bool empty() const { return out_.empty(); }
  std::string take();

 private:
  struct Prefix {
    std::string first, others;
    bool used = false;
  };
  void begin_line();
  void put(std::string_view text);

  std::string out_;
  std::vector<Prefix> prefixes_;
  int wanted_lines_ = 0;  // line ends before the next text
  bool at_start_ = true;  // of a line
  bool wants_space_ = false;
};

}  // namespace magi::web
