// Divides a Markdown text that arrives in pieces into blocks that can be laid out alone: all but the last are final.
// Where a block ends depends on the text only, never on the pieces it came in.
// A fenced block becomes chunks of lines, so that a long one costs no more than its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/transcript/syntax/lexer.h"

namespace magi::code::tui {

struct MarkdownBlock {
  enum class Kind : std::uint8_t { kText, kCode } kind = Kind::kText;
  bool joined = false;                         // no blank line between it and the block before
  std::uint8_t fence_indent = 0;               // of kCode: blanks that each line may lose
  std::size_t begin = 0, end = 0;              // bytes of the source
  const syntax::Language* language = nullptr;  // of kCode
  syntax::State state;                         // of kCode: before its first line

  bool empty() const { return begin >= end; }
};

class MarkdownSplitter {
 public:
  // `source` is the whole text so far: what it began with at the last call stands unchanged.
  void feed(std::string_view source);

  const std::vector<MarkdownBlock>& closed() const { return closed_; }
  // The last block, unfinished; empty where nothing stands behind the closed ones.
  MarkdownBlock open(std::string_view source) const;

 private:
  struct Fence {
    char mark = 0;  // 0: none
    std::size_t length = 0;
  };

  void line(std::string_view source, std::size_t begin, std::size_t end);
  bool code_line(std::string_view source, std::size_t begin, std::size_t end);
  void text_line(std::string_view source, std::size_t begin, std::size_t end);
  bool begins_new_block(std::string_view text, std::size_t indent, std::size_t begin) const;
  void open_code(std::string_view info, std::size_t indent, std::size_t begin);
  bool cut_too_long(std::string_view source, std::size_t end);
  void next_chunk(std::string_view source, std::size_t at);
  void close_text(std::size_t end, std::size_t next, bool joined);

  std::vector<MarkdownBlock> closed_;
  MarkdownBlock open_;           // `end` is not kept
  Fence fence_;                  // of the code block that is open, else one inside of the text block
  std::size_t scanned_ = 0;      // the first line that is not known whole begins here
  std::size_t lines_ = 0;        // of the open chunk
  std::size_t content_end_ = 0;  // of the open text block: behind its last line that is not blank
  bool has_content_ = false, blank_seen_ = false, is_list_ = false, is_indented_ = false, mid_line_ = false;
};

}  // namespace magi::code::tui
