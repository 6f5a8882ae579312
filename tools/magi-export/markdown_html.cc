#include "tools/magi-export/markdown_html.h"

#include <md4c.h>

#include <array>
#include <vector>

#include "libcommon/base/harmless.h"

namespace magi::exporting {
namespace {

struct Rendering {
  std::string& out;
  std::vector<bool> links;  // of the links that are open: whether a tag stands for them
};

std::string_view view_of(const MD_ATTRIBUTE& attribute) { return {attribute.text, attribute.size}; }

bool is_safe_link(std::string_view address) {
  for (const std::string_view scheme : {"https://", "http://", "mailto:"})
    if (address.substr(0, scheme.size()) == scheme) return true;
  return false;
}

std::string_view cell_tag(const void* detail, bool header) {
  static constexpr std::array kHead{"<th>", "<th class=l>", "<th class=c>", "<th class=r>"};
  static constexpr std::array kBody{"<td>", "<td class=l>", "<td class=c>", "<td class=r>"};
  const auto align = static_cast<std::size_t>(static_cast<const MD_BLOCK_TD_DETAIL*>(detail)->align);
  return header ? kHead[align] : kBody[align];
}

std::string heading(const void* detail, bool ends) {
  // The page's own headings stand above those of an answer.
  const unsigned level = std::min(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level + 2, 6u);
  return (ends ? "</h" : "<h") + std::to_string(level) + ">";
}

void begin_list_item(Rendering& page, const MD_BLOCK_LI_DETAIL& item) {
  page.out += "<li>";
  if (item.is_task) page.out += item.task_mark == ' ' ? "\xE2\x98\x90 " : "\xE2\x98\x91 ";
}

int enter_block(MD_BLOCKTYPE type, void* detail, void* data) {
  Rendering& page = *static_cast<Rendering*>(data);
  switch (type) {
    case MD_BLOCK_QUOTE: page.out += "<blockquote>"; break;
    case MD_BLOCK_UL: page.out += "<ul>"; break;
    case MD_BLOCK_OL:
      page.out += "<ol start=" + std::to_string(static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start) + ">";
      break;
    case MD_BLOCK_LI: begin_list_item(page, *static_cast<const MD_BLOCK_LI_DETAIL*>(detail)); break;
    case MD_BLOCK_HR: page.out += "<hr>\n"; break;
    case MD_BLOCK_H: page.out += heading(detail, false); break;
    case MD_BLOCK_CODE: page.out += "<pre><code>"; break;
    case MD_BLOCK_P: page.out += "<p>"; break;
    case MD_BLOCK_TABLE: page.out += "<table>"; break;
    case MD_BLOCK_TR: page.out += "<tr>"; break;
    case MD_BLOCK_TH: page.out += cell_tag(detail, true); break;
    case MD_BLOCK_TD: page.out += cell_tag(detail, false); break;
    case MD_BLOCK_DOC:
    case MD_BLOCK_HTML:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY: break;
  }
  return 0;
}

int leave_block(MD_BLOCKTYPE type, void* detail, void* data) {
  std::string& out = static_cast<Rendering*>(data)->out;
  switch (type) {
    case MD_BLOCK_QUOTE: out += "</blockquote>\n"; break;
    case MD_BLOCK_UL: out += "</ul>\n"; break;
    case MD_BLOCK_OL: out += "</ol>\n"; break;
    case MD_BLOCK_LI: out += "</li>\n"; break;
    case MD_BLOCK_H: out += heading(detail, true) + "\n"; break;
    case MD_BLOCK_CODE: out += "</code></pre>\n"; break;
    case MD_BLOCK_P: out += "</p>\n"; break;
    case MD_BLOCK_TABLE: out += "</table>\n"; break;
    case MD_BLOCK_TR: out += "</tr>\n"; break;
    case MD_BLOCK_TH: out += "</th>"; break;
    case MD_BLOCK_TD: out += "</td>"; break;
    case MD_BLOCK_DOC:
    case MD_BLOCK_HTML:
    case MD_BLOCK_HR:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY: break;
  }
  return 0;
}

void begin_link(Rendering& page, std::string_view address) {
  page.links.push_back(is_safe_link(address));
  if (!page.links.back()) return;
  page.out += "<a rel=\"noreferrer noopener\" href=\"";
  append_escaped(page.out, address);
  page.out += "\">";
}

int enter_span(MD_SPANTYPE type, void* detail, void* data) {
  Rendering& page = *static_cast<Rendering*>(data);
  switch (type) {
    case MD_SPAN_EM: page.out += "<em>"; break;
    case MD_SPAN_STRONG: page.out += "<strong>"; break;
    case MD_SPAN_DEL: page.out += "<del>"; break;
    case MD_SPAN_CODE: page.out += "<code>"; break;
    case MD_SPAN_A: begin_link(page, view_of(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href)); break;
    case MD_SPAN_IMG: page.out += "[picture: "; break;
    default: break;
  }
  return 0;
}

int leave_span(MD_SPANTYPE type, void* detail, void* data) {
  Rendering& page = *static_cast<Rendering*>(data);
  switch (type) {
    case MD_SPAN_EM: page.out += "</em>"; break;
    case MD_SPAN_STRONG: page.out += "</strong>"; break;
    case MD_SPAN_DEL: page.out += "</del>"; break;
    case MD_SPAN_CODE: page.out += "</code>"; break;
    case MD_SPAN_A:
      if (page.links.back()) page.out += "</a>";
      page.links.pop_back();
      break;
    case MD_SPAN_IMG:
      page.out += ' ';
      append_escaped(page.out, view_of(static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src));
      page.out += ']';
      break;
    default: break;
  }
  return 0;
}

int take_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
  std::string& out = static_cast<Rendering*>(data)->out;
  switch (type) {
    case MD_TEXT_NULLCHAR: out += "\xEF\xBF\xBD"; break;
    case MD_TEXT_BR: out += "<br>\n"; break;
    case MD_TEXT_SOFTBR: out += '\n'; break;
    // Named by the answer; what a browser makes of a name is a character.
    case MD_TEXT_ENTITY: out.append(text, size); break;
    default: append_escaped(out, {text, size}); break;
  }
  return 0;
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : harmless(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
}

void append_html(std::string& out, std::string_view markdown) {
  Rendering page{out, {}};
  const MD_PARSER parser{
      0,      MD_DIALECT_GITHUB | MD_FLAG_NOHTML, enter_block, leave_block, enter_span, leave_span, take_text, nullptr,
      nullptr};
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &page);
}

}  // namespace magi::exporting
