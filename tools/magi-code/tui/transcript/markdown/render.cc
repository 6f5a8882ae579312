#include "tools/magi-code/tui/transcript/markdown/render.h"

#include <md4c.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/transcript/code_lines.h"
#include "tools/magi-code/tui/transcript/markdown/entity.h"
#include "tools/magi-code/tui/transcript/markdown/table.h"

namespace magi::code::tui {
namespace {

// md4c fills short rows with empty cells, so that a small text may hold millions of them.
constexpr std::size_t kMostCells = 20'000;
// Deeper lists and quotes are drawn at this depth: each level takes columns.
constexpr std::size_t kMostContainers = 16;

std::string text_of(const MD_ATTRIBUTE& attribute) {
  return attribute.text ? std::string(attribute.text, attribute.size) : std::string();
}

// Whether the address says nothing that the text does not.
bool same_address(std::string_view text, std::string_view address) {
  const auto bare = [](std::string_view part) {
    for (const std::string_view scheme : {"https://", "http://", "mailto:"})
      if (part.starts_with(scheme)) part.remove_prefix(scheme.size());
    while (part.ends_with('/')) part.remove_suffix(1);
    return part;
  };
  return bare(text) == bare(address);
}

// A quote or a list item that stands around what is laid out.
struct Container {
  Line first, rest;
  bool bullet = false;  // `first` is text
  bool used = false;    // `first` was drawn
};

struct List {
  bool ordered = false;
  unsigned next = 1;
  char delimiter = '.';
};

class Renderer {
 public:
  Renderer(LaidLines& out, int columns) : out_(out), columns_(std::max(columns, 1)), begin_(out.size()) {}

  void enter(MD_BLOCKTYPE type, void* detail);
  void leave(MD_BLOCKTYPE type);
  void enter(MD_SPANTYPE type, void* detail);
  void leave(MD_SPANTYPE type, void* detail);
  void text(MD_TEXTTYPE type, std::string_view text);
  bool too_large() const { return cells_ > kMostCells; }

 private:
  Prefix prefix();
  void separate();
  void flush();
  void enter_item(const MD_BLOCK_LI_DETAIL& item);
  void leave_container();
  void leave_code();
  void leave_table();
  Style style() const;

  LaidLines& out_;
  const int columns_;
  const std::size_t begin_;
  std::vector<Container> containers_;
  std::size_t deeper_ = 0;  // containers beyond the most
  std::vector<List> lists_;
  bool blank_due_ = false;

  Line inline_;
  int bold_ = 0, italic_ = 0, strike_ = 0, code_ = 0, link_ = 0;
  std::vector<std::size_t> link_begins_;  // bytes of inline_ where a link's text begins
  unsigned heading_ = 0;

  bool in_code_block_ = false;
  std::string code_text_, code_language_;
  bool in_cell_ = false;
  Table table_;
  std::size_t cells_ = 0;
};

// The prefix of the next line: bullets are drawn once.
Prefix Renderer::prefix() {
  Prefix prefix;
  bool text = false;
  std::size_t decoration = 0;
  for (Container& container : containers_) {
    const Line& first = container.used ? container.rest : container.first;
    for (const Span& span : first.spans) append_text(prefix.first, span.text, span.style);
    for (const Span& span : container.rest.spans) append_text(prefix.rest, span.text, span.style);
    text = text || (container.bullet && !container.used);
    if (!text) decoration += bytes_of(first);
    container.used = true;
  }
  prefix.first_decoration = static_cast<std::uint16_t>(decoration);
  return prefix;
}

// A blank line between two blocks, with the bars of the quotes that both stand in.
void Renderer::separate() {
  if (!std::exchange(blank_due_, false) || out_.size() == begin_) return;
  LaidLine blank;
  for (const Container& container : containers_) {
    if (!container.used) break;
    for (const Span& span : container.rest.spans) append_text(blank.line, span.text, span.style);
  }
  while (!blank.line.spans.empty()) {
    std::string& last = blank.line.spans.back().text;
    last.erase(last.find_last_not_of(' ') + 1);
    if (!last.empty()) break;
    blank.line.spans.pop_back();
  }
  blank.decoration = bytes_of(blank.line);
  out_.push_back(std::move(blank));
}

void Renderer::flush() {
  if (inline_.spans.empty() || in_cell_) return;
  separate();
  lay(out_, inline_, columns_, prefix(), Wrapping::kWords);
  inline_.spans.clear();
}

void Renderer::enter_item(const MD_BLOCK_LI_DETAIL& item) {
  Container container;
  container.bullet = true;
  std::string mark = "• ";
  if (!lists_.empty() && lists_.back().ordered) {
    mark = std::to_string(lists_.back().next++);
    mark += lists_.back().delimiter;
    mark += ' ';
  }
  const int width = columns_of(mark);
  container.first.add(std::move(mark), {Role::kMuted});
  if (item.is_task) {
    const bool done = item.task_mark == 'x' || item.task_mark == 'X';
    container.first.spans.clear();
    container.first.add(done ? "☑ " : "☐ ", {done ? Role::kSuccess : Role::kMuted});
  }
  container.rest.add(std::string(static_cast<std::size_t>(item.is_task ? 2 : width), ' '));
  if (containers_.size() < kMostContainers)
    containers_.push_back(std::move(container));
  else
    ++deeper_;
}

void Renderer::leave_container() {
  if (deeper_ > 0)
    --deeper_;
  else if (!containers_.empty())
    containers_.pop_back();
}

void Renderer::enter(MD_BLOCKTYPE type, void* detail) {
  flush();
  switch (type) {
    case MD_BLOCK_QUOTE:
      if (containers_.size() < kMostContainers) {
        Container quote;
        quote.first.add("│ ", {Role::kQuote});
        quote.rest = quote.first;
        containers_.push_back(std::move(quote));
      } else {
        ++deeper_;
      }
      break;
    case MD_BLOCK_UL: lists_.push_back({}); break;
    case MD_BLOCK_OL: {
      const auto& list = *static_cast<MD_BLOCK_OL_DETAIL*>(detail);
      lists_.push_back({true, list.start, list.mark_delimiter});
      break;
    }
    case MD_BLOCK_LI: enter_item(*static_cast<MD_BLOCK_LI_DETAIL*>(detail)); break;
    case MD_BLOCK_H: heading_ = static_cast<MD_BLOCK_H_DETAIL*>(detail)->level; break;
    case MD_BLOCK_CODE:
      in_code_block_ = true;
      code_text_.clear();
      code_language_ = text_of(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang);
      break;
    case MD_BLOCK_HR: {
      separate();
      const Prefix before = prefix();
      const int room = std::max(columns_ - columns_of(before.first), 1);
      std::string rule;
      for (int i = 0; i < std::min(room, 40); ++i) rule += "─";
      lay(out_, Line(rule, {Role::kBorder}), columns_, before, Wrapping::kExact);
      break;
    }
    case MD_BLOCK_TABLE: table_ = {}; break;
    case MD_BLOCK_TR: table_.rows.emplace_back(); break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD: {
      in_cell_ = true;
      ++cells_;
      const MD_ALIGN align = static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align;
      if (table_.rows.size() == 1)
        table_.aligns.push_back(align == MD_ALIGN_RIGHT    ? Align::kRight
                                : align == MD_ALIGN_CENTER ? Align::kCentre
                                                           : Align::kLeft);
      break;
    }
    default: break;
  }
}

void Renderer::leave(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_LI: {
      flush();
      if (!containers_.empty() && deeper_ == 0 && !containers_.back().used)
        lay(out_, {}, columns_, prefix(), Wrapping::kWords);
      leave_container();
      break;
    }
    case MD_BLOCK_QUOTE:
      flush();
      leave_container();
      blank_due_ = true;
      break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
      if (!lists_.empty()) lists_.pop_back();
      if (lists_.empty()) blank_due_ = true;
      break;
    case MD_BLOCK_CODE: leave_code(); break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      in_cell_ = false;
      table_.rows.back().push_back(std::exchange(inline_, {}));
      break;
    case MD_BLOCK_TABLE: leave_table(); break;
    case MD_BLOCK_H:
    case MD_BLOCK_P:
    case MD_BLOCK_HR:
      flush();
      heading_ = 0;
      blank_due_ = true;
      break;
    default: flush();
  }
}

void Renderer::leave_code() {
  in_code_block_ = false;
  separate();
  Prefix before = prefix();
  append_text(before.first, "  ", {});
  append_text(before.rest, "  ", {});
  if (before.first_decoration + 2 == bytes_of(before.first)) before.first_decoration += 2;
  lay_code(out_, code_text_, syntax::find_language(code_language_), {}, 0, columns_, before);
  blank_due_ = true;
}

void Renderer::leave_table() {
  separate();
  const Prefix before = prefix();
  const int room = std::max(columns_ - columns_of(before.first), 8);
  Prefix next = before;
  for (Line& line : lay_table(table_, room)) {
    lay(out_, line, columns_, next, Wrapping::kExact);
    next.first = before.rest;
    next.first_decoration = bytes_of(before.rest);
  }
  blank_due_ = true;
}

Style Renderer::style() const {
  Style style;
  style.bold = bold_ > 0 || heading_ > 0;
  style.italic = italic_ > 0 || heading_ > 2;
  style.strike = strike_ > 0;
  style.underline = heading_ == 1 || link_ > 0;
  if (heading_ > 0) style.role = Role::kHeading;
  if (link_ > 0) style.role = Role::kLink;
  if (code_ > 0) style.role = Role::kCode;
  return style;
}

void Renderer::enter(MD_SPANTYPE type, void*) {
  switch (type) {
    case MD_SPAN_EM: ++italic_; break;
    case MD_SPAN_STRONG: ++bold_; break;
    case MD_SPAN_DEL: ++strike_; break;
    case MD_SPAN_CODE: ++code_; break;
    case MD_SPAN_IMG: append_text(inline_, "[image] ", {Role::kMuted}); [[fallthrough]];
    case MD_SPAN_A:
      ++link_;
      link_begins_.push_back(plain_text(inline_).size());
      break;
    default: break;
  }
}

void Renderer::leave(MD_SPANTYPE type, void* detail) {
  switch (type) {
    case MD_SPAN_EM: --italic_; break;
    case MD_SPAN_STRONG: --bold_; break;
    case MD_SPAN_DEL: --strike_; break;
    case MD_SPAN_CODE: --code_; break;
    case MD_SPAN_IMG:
    case MD_SPAN_A: {
      --link_;
      const std::string address = visible(text_of(type == MD_SPAN_A ? static_cast<MD_SPAN_A_DETAIL*>(detail)->href
                                                                    : static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src));
      const std::string whole = plain_text(inline_);
      const std::size_t begin = std::min(link_begins_.back(), whole.size());
      link_begins_.pop_back();
      if (address.empty() || same_address(std::string_view(whole).substr(begin), address)) break;
      append_text(inline_, begin == whole.size() ? address : " (" + address + ")", {Role::kMuted});
      break;
    }
    default: break;
  }
}

void Renderer::text(MD_TEXTTYPE type, std::string_view text) {
  if (in_code_block_) {
    code_text_ += text;
    return;
  }
  switch (type) {
    case MD_TEXT_NULLCHAR: return append_text(inline_, "\xEF\xBF\xBD", style());
    case MD_TEXT_BR: return in_cell_ ? append_text(inline_, " ", style()) : flush();
    case MD_TEXT_SOFTBR: return append_text(inline_, " ", style());
    case MD_TEXT_ENTITY: return append_text(inline_, visible(decode_entity(text)), style());
    default: return append_text(inline_, visible(text), style());
  }
}

template <class Call>
int guarded(void* self, Call call) {
  auto& renderer = *static_cast<Renderer*>(self);
  call(renderer);
  return renderer.too_large() ? 1 : 0;
}

}  // namespace

void lay_markdown(LaidLines& out, std::string_view source, int columns) {
  const std::string safe = visible_text(source);
  Renderer renderer(out, columns);
  MD_PARSER parser{};
  parser.flags = MD_DIALECT_GITHUB | MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
    return guarded(self, [&](Renderer& to) { to.enter(type, detail); });
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
    return guarded(self, [&](Renderer& to) { to.leave(type); });
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
    return guarded(self, [&](Renderer& to) { to.enter(type, detail); });
  };
  parser.leave_span = [](MD_SPANTYPE type, void* detail, void* self) {
    return guarded(self, [&](Renderer& to) { to.leave(type, detail); });
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
    return guarded(self, [&](Renderer& to) { to.text(type, {text, size}); });
  };
  const std::size_t begin = out.size();
  if (md_parse(safe.data(), static_cast<MD_SIZE>(safe.size()), &parser, &renderer) == 0) return;
  out.resize(begin);
  for (const std::string& line : visible_lines(safe)) lay(out, Line(line), columns, {}, Wrapping::kWords);
}

}  // namespace magi::code::tui
