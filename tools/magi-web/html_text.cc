#include "tools/magi-web/html_text.h"

#include <gumbo.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "tools/magi-web/text_writer.h"

namespace magi::web {
namespace {

constexpr int kMostDepth = 2000;

// The parser gives memory back piece by piece, through recursion as deep as the page; here it goes at once.
class Arena {
 public:
  static void* allocate(void* self, std::size_t size) {
    Arena& arena = *static_cast<Arena*>(self);
    size = (size + 15) & ~std::size_t{15};
    if (size > arena.left_) {
      arena.left_ = std::max(kBlock, size);
      arena.blocks_.emplace_back(new char[arena.left_]);
      arena.at_ = arena.blocks_.back().get();
    }
    char* const piece = arena.at_;
    arena.at_ += size;
    arena.left_ -= size;
    return piece;
  }
  static void release(void*, void*) {}

 private:
  static constexpr std::size_t kBlock = 256 * 1024;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
};

std::string_view attribute(const GumboElement& element, const char* name) {
  const GumboAttribute* const found = gumbo_get_attribute(&element.attributes, name);
  return found ? std::string_view(found->value) : std::string_view();
}
bool has(const GumboElement& element, const char* name) { return gumbo_get_attribute(&element.attributes, name); }

bool is_hidden(const GumboElement& element) {
  if (has(element, "hidden") || attribute(element, "aria-hidden") == "true") return true;
  if (element.tag == GUMBO_TAG_INPUT) return true;
  std::string style(attribute(element, "style"));
  style.erase(std::remove_if(style.begin(), style.end(), [](char c) { return c == ' ' || c == '\t' || c == '\n'; }),
              style.end());
  std::transform(style.begin(), style.end(), style.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const std::string_view trick :
       {"display:none", "visibility:hidden", "font-size:0;", "font-size:0px", "opacity:0;"})
    if (style.find(trick) != std::string::npos) return true;
  return style.ends_with("opacity:0") || style.ends_with("font-size:0");
}

bool is_dropped(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_NOSCRIPT:
    case GUMBO_TAG_HEAD:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_CANVAS:
    case GUMBO_TAG_AUDIO:
    case GUMBO_TAG_VIDEO:
    case GUMBO_TAG_SVG:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_DATALIST: return true;
    default: return false;
  }
}

// Lines between it and what stands around it: 0 for what runs along with the text.
int lines_around(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_P:
    case GUMBO_TAG_BLOCKQUOTE:
    case GUMBO_TAG_UL:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_DETAILS:
    case GUMBO_TAG_FIELDSET: return 2;
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_TR:
    case GUMBO_TAG_CAPTION:
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_SUMMARY:
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_OPTION: return 1;
    default: return 0;
  }
}

// The text of a subtree in one line.
void gather(const GumboNode& node, std::string& out, int depth = 0) {
  if (node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_WHITESPACE || node.type == GUMBO_NODE_CDATA) {
    out += node.v.text.text;
  } else if (node.type == GUMBO_NODE_ELEMENT && depth < kMostDepth && !is_dropped(node.v.element.tag)) {
    const GumboVector& children = node.v.element.children;
    for (unsigned i = 0; i < children.length; ++i) gather(*static_cast<GumboNode*>(children.data[i]), out, depth + 1);
  }
}

class Walker {
 public:
  explicit Walker(const std::function<std::string(std::string_view)>& target_of) : target_of_(target_of) {}

  void walk(const GumboNode& node);
  HtmlText take() {
    TextWriter title;
    title.text(title_);
    return {title.take(), out_.take()};
  }

 private:
  void element(const GumboElement& element);
  void children(const GumboElement& element);
  void heading(const GumboElement& element, int level);
  void link(const GumboElement& element);
  void list(const GumboElement& element, bool ordered);
  void row(const GumboElement& element);
  void image(const GumboElement& element);
  void find_title(const GumboElement& head);

  const std::function<std::string(std::string_view)>& target_of_;
  TextWriter out_;
  std::string title_;
  int depth_ = 0, preformatted_ = 0;
  std::vector<int> list_numbers_;  // the next number; 0: bullets
};

void Walker::walk(const GumboNode& node) {
  switch (node.type) {
    case GUMBO_NODE_TEXT:
    case GUMBO_NODE_CDATA:
    case GUMBO_NODE_WHITESPACE:
      if (preformatted_ > 0)
        out_.preformatted(node.v.text.text);
      else
        out_.text(node.v.text.text);
      break;
    case GUMBO_NODE_ELEMENT:
      if (depth_ >= kMostDepth) break;
      ++depth_;
      element(node.v.element);
      --depth_;
      break;
    default: break;
  }
}

void Walker::children(const GumboElement& element) {
  for (unsigned i = 0; i < element.children.length; ++i) walk(*static_cast<GumboNode*>(element.children.data[i]));
}

void Walker::find_title(const GumboElement& head) {
  for (unsigned i = 0; i < head.children.length && title_.empty(); ++i) {
    const GumboNode& child = *static_cast<GumboNode*>(head.children.data[i]);
    if (child.type == GUMBO_NODE_ELEMENT && child.v.element.tag == GUMBO_TAG_TITLE) gather(child, title_);
  }
}

void Walker::heading(const GumboElement& element, int level) {
  out_.block(2);
  out_.push(std::string(static_cast<std::size_t>(level), '#') + ' ', "");
  children(element);
  out_.pop();
  out_.block(2);
}

void Walker::link(const GumboElement& element) {
  children(element);
  const std::string_view href = attribute(element, "href");
  if (href.empty() || href.starts_with('#')) return;
  const std::string target = target_of_(href);
  if (!target.empty()) out_.text(" <" + target + ">");
}

void Walker::list(const GumboElement& element, bool ordered) {
  out_.block(list_numbers_.empty() ? 2 : 1);
  list_numbers_.push_back(ordered ? std::max(1, std::atoi(std::string(attribute(element, "start")).c_str())) : 0);
  children(element);
  list_numbers_.pop_back();
  out_.block(list_numbers_.empty() ? 2 : 1);
}

// Cells side by side, whatever stands in them in one line.
void Walker::row(const GumboElement& element) {
  out_.block(1);
  bool first = true, head = false;
  unsigned cells = 0;
  for (unsigned i = 0; i < element.children.length; ++i) {
    const GumboNode& child = *static_cast<GumboNode*>(element.children.data[i]);
    if (child.type != GUMBO_NODE_ELEMENT) continue;
    const GumboTag tag = child.v.element.tag;
    if ((tag != GUMBO_TAG_TD && tag != GUMBO_TAG_TH) || is_hidden(child.v.element)) continue;
    head = head || (tag == GUMBO_TAG_TH && cells > 0);
    ++cells;
    Walker cell(target_of_);
    cell.depth_ = depth_;
    cell.children(child.v.element);
    std::string text = cell.out_.take();
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (!std::exchange(first, false)) out_.text(" | ");
    out_.text(text);
  }
  out_.block(1);
  if (!head) return;
  // A row of heads is underlined where all its cells are heads.
  for (unsigned i = 0; i < element.children.length; ++i) {
    const GumboNode& child = *static_cast<GumboNode*>(element.children.data[i]);
    if (child.type == GUMBO_NODE_ELEMENT && child.v.element.tag == GUMBO_TAG_TD) return;
  }
  std::string line;
  for (unsigned i = 0; i < cells; ++i) line += i ? " | ---" : "---";
  out_.text(line);
  out_.block(1);
}

void Walker::image(const GumboElement& element) {
  const std::string_view said = attribute(element, "alt");
  if (!said.empty()) out_.text("[image: " + std::string(said) + "]");
}

void Walker::element(const GumboElement& element) {
  const GumboTag tag = element.tag;
  if (tag == GUMBO_TAG_HEAD) return find_title(element);
  if (is_dropped(tag) || is_hidden(element)) return;
  if (tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6) return heading(element, static_cast<int>(tag) - GUMBO_TAG_H1 + 1);
  switch (tag) {
    case GUMBO_TAG_A: return link(element);
    case GUMBO_TAG_IMG: return image(element);
    case GUMBO_TAG_BR: return out_.line_break();
    case GUMBO_TAG_UL: return list(element, false);
    case GUMBO_TAG_OL: return list(element, true);
    case GUMBO_TAG_TR: return row(element);
    default: break;
  }
  const int lines = lines_around(tag);
  if (lines > 0) out_.block(lines);
  if (tag == GUMBO_TAG_HR) {
    out_.block(2);
    out_.text("---");
    out_.block(2);
  } else if (tag == GUMBO_TAG_PRE) {
    out_.block(2);
    out_.text("```");
    out_.block(1);
    ++preformatted_;
    children(element);
    --preformatted_;
    out_.block(1);
    out_.text("```");
    out_.block(2);
  } else if (tag == GUMBO_TAG_LI) {
    const bool numbered = !list_numbers_.empty() && list_numbers_.back() > 0;
    const std::string mark = numbered ? std::to_string(list_numbers_.back()++) + ". " : std::string("- ");
    out_.push(mark, std::string(mark.size(), ' '));
    children(element);
    out_.pop();
  } else if (tag == GUMBO_TAG_BLOCKQUOTE || tag == GUMBO_TAG_DD) {
    const std::string_view mark = tag == GUMBO_TAG_DD ? "  " : "> ";
    out_.push(mark, mark);
    children(element);
    out_.pop();
  } else if (tag == GUMBO_TAG_CODE && preformatted_ == 0) {
    std::string code;
    for (unsigned i = 0; i < element.children.length; ++i)
      gather(*static_cast<GumboNode*>(element.children.data[i]), code);
    out_.text("`" + code + "`");
  } else {
    children(element);
  }
  if (lines > 0) out_.block(lines);
}

}  // namespace

HtmlText html_without_tags(std::string_view html) {
  TextWriter out;
  while (!html.empty()) {
    const std::size_t open = std::min(html.find('<'), html.size());
    out.text(html.substr(0, open));
    html.remove_prefix(open);
    const std::size_t close = html.find('>');
    if (html.empty() || close == std::string_view::npos) break;
    html.remove_prefix(close + 1);
    out.block(1);
  }
  return {{}, out.take(), true};
}

HtmlText html_to_text(std::string_view html, const std::function<std::string(std::string_view)>& target_of) {
  if (is_abusive(html)) return html_without_tags(html);
  Arena arena;
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = &Arena::allocate;
  options.deallocator = &Arena::release;
  options.userdata = &arena;
  options.max_errors = 0;
  const GumboOutput* const parsed = gumbo_parse_with_options(&options, html.data(), html.size());
  Walker walker(target_of);
  if (parsed && parsed->root) walker.walk(*parsed->root);
  return walker.take();
}

}  // namespace magi::web
