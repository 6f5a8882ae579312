#include "tools/magi-code/tui/transcript/markdown/splitter.h"

#include <algorithm>

#include "libcommon/base/utf8.h"
#include "tools/magi-code/tui/transcript/limits.h"

namespace magi::code::tui {
namespace {

// Columns of leading blanks; a tab goes on to the next stop of four.
std::size_t indent_of(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) {
    if (c == ' ')
      ++columns;
    else if (c == '\t')
      columns += 4 - columns % 4;
    else
      break;
  }
  return columns;
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && std::string_view(" \t\r").find(line.front()) != std::string_view::npos) line.remove_prefix(1);
  while (!line.empty() && std::string_view(" \t\r").find(line.back()) != std::string_view::npos) line.remove_suffix(1);
  return line;
}

std::size_t run_of(std::string_view text, char mark) { return std::min(text.find_first_not_of(mark), text.size()); }

// The length of an opening fence; 0: it is none.
std::size_t opening_fence(std::string_view text) {
  if (text.empty() || (text[0] != '`' && text[0] != '~')) return 0;
  const std::size_t length = run_of(text, text[0]);
  if (length < 3 || (text[0] == '`' && text.find('`', length) != std::string_view::npos)) return 0;
  return length;
}

bool begins_item(std::string_view text) {
  if (text.empty()) return false;
  std::size_t at = 0;
  if (std::string_view("-*+").find(text[0]) != std::string_view::npos) {
    at = 1;
  } else {
    while (at < text.size() && at < 9 && text[at] >= '0' && text[at] <= '9') ++at;
    if (at == 0 || at >= text.size() || (text[at] != '.' && text[at] != ')')) return false;
    ++at;
  }
  return at == text.size() || text[at] == ' ' || text[at] == '\t';
}

}  // namespace

void MarkdownSplitter::feed(std::string_view source) {
  while (true) {
    const std::size_t newline = source.find('\n', scanned_);
    const std::size_t end = newline == std::string_view::npos ? source.size() : newline;
    if (cut_too_long(source, end)) continue;
    if (newline == std::string_view::npos) return;
    const std::size_t begin = scanned_;
    scanned_ = newline + 1;
    line(source, begin, end);
    mid_line_ = false;
  }
}

MarkdownBlock MarkdownSplitter::open(std::string_view source) const {
  MarkdownBlock block = open_;
  block.end = source.size();
  if (block.kind == MarkdownBlock::Kind::kText && trimmed(source.substr(std::min(block.begin, source.size()))).empty())
    block.end = block.begin;
  return block;
}

void MarkdownSplitter::line(std::string_view source, std::size_t begin, std::size_t end) {
  if (open_.kind == MarkdownBlock::Kind::kCode && code_line(source, begin, end)) return;
  text_line(source, begin, end);
}

// True: the line is done with.
bool MarkdownSplitter::code_line(std::string_view source, std::size_t begin, std::size_t end) {
  const std::string_view text = trimmed(source.substr(begin, end - begin));
  const bool closes = !mid_line_ && indent_of(source.substr(begin, end - begin)) < 4 && text.size() >= fence_.length &&
                      run_of(text, fence_.mark) == text.size();
  if (!closes) {
    if (++lines_ >= limit::kChunkLines) next_chunk(source, scanned_);
    return true;
  }
  open_.end = begin;
  if (!open_.empty() || !open_.joined) closed_.push_back(open_);
  open_ = {};
  open_.begin = scanned_;
  fence_ = {};
  has_content_ = blank_seen_ = is_list_ = is_indented_ = false;
  return true;
}

void MarkdownSplitter::text_line(std::string_view source, std::size_t begin, std::size_t end) {
  const std::string_view whole = source.substr(begin, end - begin), text = trimmed(whole);
  const std::size_t indent = indent_of(whole);
  if (fence_.mark != 0) {
    if (text.size() >= fence_.length && run_of(text, fence_.mark) == text.size()) fence_ = {};
    if (!text.empty()) content_end_ = end;
    return;
  }
  if (text.empty()) {
    blank_seen_ = true;
    return;
  }
  if (has_content_ && !mid_line_ && begins_new_block(text, indent, begin))
    close_text(content_end_, begin, !blank_seen_);
  if (!has_content_) {
    open_.begin = begin;
    is_list_ = indent < 4 && begins_item(text);
    is_indented_ = indent >= 4;
  }
  if (const std::size_t length = mid_line_ ? 0 : opening_fence(text); length > 0) {
    const bool nested = indent > 3 || (is_list_ && has_content_ && indent >= 2);
    fence_ = {text[0], length};
    if (!nested) {
      if (has_content_) close_text(content_end_, begin, false);
      return open_code(trimmed(text.substr(length)), indent, scanned_);
    }
  }
  has_content_ = true;
  blank_seen_ = false;
  content_end_ = end;
}

bool MarkdownSplitter::begins_new_block(std::string_view text, std::size_t indent, std::size_t begin) const {
  if (blank_seen_) return !(is_list_ && indent >= 2) && !(is_indented_ && indent >= 4);
  return is_list_ && indent < 2 && begins_item(text) && begin - open_.begin > limit::kListBytes;
}

void MarkdownSplitter::open_code(std::string_view info, std::size_t indent, std::size_t begin) {
  const bool joined = open_.joined;
  open_ = {};
  open_.kind = MarkdownBlock::Kind::kCode;
  open_.joined = joined;
  open_.fence_indent = static_cast<std::uint8_t>(indent);
  open_.begin = begin;
  open_.language = syntax::find_language(info);
  lines_ = 0;
}

// A block that grows without an end is cut where its size alone says so.
bool MarkdownSplitter::cut_too_long(std::string_view source, std::size_t end) {
  if (end <= open_.begin || end - open_.begin <= limit::kParagraphBytes) return false;
  // A paragraph of one line may be cut early: no structure goes with it.
  std::string_view most = source.substr(open_.begin, limit::kParagraphBytes);
  if (open_.kind == MarkdownBlock::Kind::kCode || most.find('\n') != std::string_view::npos) {
    if (end - open_.begin <= limit::kChunkBytes) return false;
    most = source.substr(open_.begin, limit::kChunkBytes);
  }
  const std::size_t least = most.size() / 2;
  std::size_t cut = most.rfind('\n');
  if (cut == std::string_view::npos || cut < least) cut = most.rfind(' ');
  if (cut == std::string_view::npos || cut < least) {
    cut = most.size();
    while (cut > least && (static_cast<unsigned char>(source[open_.begin + cut]) & 0xC0) == 0x80) --cut;
  } else {
    ++cut;
  }
  const std::size_t at = open_.begin + cut;
  if (open_.kind == MarkdownBlock::Kind::kCode) {
    next_chunk(source, at);
  } else {
    const bool list = is_list_;
    close_text(at, at, true);
    has_content_ = true;
    is_list_ = list;
    content_end_ = std::max(content_end_, at);
  }
  if (at > scanned_) {
    scanned_ = at;
    mid_line_ = source[at - 1] != '\n';
  }
  return true;
}

void MarkdownSplitter::next_chunk(std::string_view source, std::size_t at) {
  open_.end = at;
  closed_.push_back(open_);
  if (open_.language) {
    std::vector<syntax::Token> tokens;
    std::string_view text = source.substr(open_.begin, at - open_.begin);
    while (!text.empty()) {
      const std::size_t newline = text.find('\n');
      syntax::lex_line(*open_.language, open_.state, text.substr(0, newline), tokens);
      tokens.clear();
      text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    }
  }
  open_.begin = at;
  open_.joined = true;
  lines_ = 0;
}

void MarkdownSplitter::close_text(std::size_t end, std::size_t next, bool joined) {
  open_.end = end;
  if (!open_.empty()) closed_.push_back(open_);
  open_ = {};
  open_.begin = next;
  open_.joined = joined;
  has_content_ = blank_seen_ = is_list_ = is_indented_ = false;
}

}  // namespace magi::code::tui
