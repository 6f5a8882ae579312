// Pages that are made to keep a parser busy: found in one pass, before it begins.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "tools/magi-web/html_text.h"

namespace magi::web {
namespace {

constexpr std::size_t kMostOpen = 512;
constexpr std::size_t kMostSeparators = 1024;  // of the attributes of one tag: white space and quotes
constexpr std::size_t kSearched = 64;          // open elements that an end tag may skip

// Elements that have no end, or whose end another of them brings about.
constexpr std::string_view kNotNested[] = {
    "area",   "base",     "br", "col",   "dd",     "dt",    "embed", "hr",    "img", "input", "li", "link",  "meta",
    "option", "optgroup", "p",  "param", "source", "tbody", "td",    "tfoot", "th",  "thead", "tr", "track", "wbr"};

// Elements of drawings, where "/>" ends an element; elsewhere it does nothing.
constexpr std::string_view kDrawn[] = {"animate", "circle",   "clippath",       "defs", "ellipse", "g",
                                       "image",   "line",     "lineargradient", "mask", "path",    "pattern",
                                       "polygon", "polyline", "radialgradient", "rect", "stop",    "svg",
                                       "symbol",  "text",     "tspan",          "use"};

template <std::size_t kCount>
bool is_one_of(const std::string_view (&list)[kCount], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The name at the start of `text`, in lower case.
std::string name_at(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 32)) {
    if (c == '>' || c == '/' || c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') break;
    name += lower(c);
  }
  return name;
}

// Bytes of a tag behind its name, up to its ">"; counts what could begin attributes.
std::size_t skip_tag(std::string_view text, std::size_t& separators) {
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '>') {
      return at + 1;
    } else if (c == '"' || c == '\'') {
      quote = c;
      ++separators;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '/') {
      ++separators;
    }
  }
  return text.size();
}

void close(std::vector<std::string>& open, const std::string& name) {
  const std::size_t least = open.size() - std::min(open.size(), kSearched);
  for (std::size_t at = open.size(); at > least; --at)
    if (open[at - 1] == name) return open.resize(at - 1);
}

}  // namespace

bool is_abusive(std::string_view html) {
  std::vector<std::string> open;
  bool drawing = false;  // any other element leads out of it
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at)) {
    const bool end = html.substr(at + 1, 1) == "/";
    at += end ? 2 : 1;
    if (at >= html.size() || !is_letter(html[at])) continue;
    const std::string name = name_at(html.substr(at));
    std::size_t separators = 0;
    const std::size_t size = skip_tag(html.substr(at + name.size()), separators);
    if (separators > kMostSeparators) return true;
    const bool closes_itself = size >= 2 && html.substr(at + name.size() + size - 2, 2) == "/>";
    at += name.size() + size;
    drawing = name == "svg" ? !end : drawing && is_one_of(kDrawn, name);
    if (end) {
      close(open, name);
    } else if (!(closes_itself && drawing) && !is_one_of(kNotNested, name)) {
      open.push_back(name);
      if (open.size() > kMostOpen) return true;
    }
  }
  return false;
}

}  // namespace magi::web
