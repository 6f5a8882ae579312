#include "tools/magi-assess/disguise.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace magi::assess {
namespace {

struct Enclosed {
  std::string_view open, close, rule;
  std::size_t longest;  // where it is not closed by then, it ends there
};

constexpr Enclosed kEnclosed[] = {
    {"<!--", "-->", "hidden.html-comment", 8192},
    {"[//]: #", "\n", "hidden.markdown-comment", 4096},
    {"[comment]: #", "\n", "hidden.markdown-comment", 4096},
    {"<template", "</template>", "hidden.element", 4096},
    {"<details", "</details>", "hidden.collapsed", 8192},
    {" alt=\"", "\"", "hidden.image-text", 2048},
    {" title=\"", "\"", "hidden.image-text", 2048},
    {" aria-label=\"", "\"", "hidden.image-text", 2048},
    {"![", "]", "hidden.image-text", 2048},
    {"<meta ", ">", "hidden.meta", 2048},
    {"data-", ">", "hidden.attribute", 1024},
    {"\x1b[8m", "\x1b[", "hidden.terminal", 4096},
    {"\x1b[30;40m", "\x1b[", "hidden.terminal", 4096},
    {"\x1b]", "\x07", "hidden.terminal", 2048},
};

// What in the style or attributes of an element keeps it from being seen; blanks left out.
constexpr std::string_view kUnseen[] = {
    "display:none",      "visibility:hidden", "opacity:0;",  "opacity:0\"",  "font-size:0",       "font-size:1px",
    "left:-9999",        "top:-9999",         "left:-1000",  "color:#fff\"", "color:#fff;",       "color:white\"",
    "color:white;",      "color:#ffffff",     "hidden>",     "hidden=",      "aria-hidden",       "text-indent:-",
    "color:transparent", "width:0;height:0",  "clip:rect(0", "height:0;",    "class=\"sr-only\"", "class=\"hidden\"",
    "fontsize:0",        "textcolor:white",
};

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\n' && c != '\t') out += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return out;
}

void find_enclosed(std::string_view source, std::vector<Region>& regions) {
  for (const Enclosed& kind : kEnclosed) {
    for (std::size_t at = source.find(kind.open); at != std::string_view::npos;) {
      const std::size_t body = at + kind.open.size();
      const std::size_t close = source.substr(body, kind.longest).find(kind.close);
      const std::size_t end = close == std::string_view::npos ? std::min(source.size(), body + kind.longest)
                                                              : body + close + kind.close.size();
      regions.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end), kind.rule});
      at = source.find(kind.open, end);
    }
  }
}

// From an opening tag that hides to the closing tag of its name.
void find_unseen_elements(std::string_view source, std::vector<Region>& regions) {
  constexpr std::size_t kLongestTag = 1024, kLongestElement = 8192;
  for (std::size_t at = source.find('<'); at != std::string_view::npos; at = source.find('<', at + 1)) {
    const std::size_t close = source.substr(at + 1, kLongestTag).find_first_of("<>") + 1;
    if (close < 8 || source[at + close] != '>') continue;
    const std::string_view tag = source.substr(at, close + 1);
    if (tag.find('=') == std::string_view::npos && tag.find("hidden") == std::string_view::npos) continue;
    const std::string plain = without_blanks(tag);
    const bool unseen = std::any_of(std::begin(kUnseen), std::end(kUnseen),
                                    [&](std::string_view sign) { return plain.find(sign) != std::string::npos; });
    if (!unseen) continue;
    const std::string name(tag.substr(1, tag.find_first_of(" \t\n>") - 1));
    const std::size_t body = at + tag.size();
    const std::size_t end = source.substr(body, kLongestElement).find("</" + name);
    const std::size_t last =
        end == std::string_view::npos ? std::min(source.size(), body + kLongestElement) : body + end;
    regions.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(last), "hidden.style"});
  }
}

void find_invisible(const Folded& text, std::vector<Region>& regions) {
  constexpr std::uint32_t kApart = 64;
  constexpr std::size_t kFewest = 3;
  for (std::size_t first = 0; first < text.invisible.size();) {
    std::size_t last = first + 1;
    while (last < text.invisible.size() && text.invisible[last] - text.invisible[last - 1] <= kApart) ++last;
    if (last - first >= kFewest)
      regions.push_back({text.invisible[first], text.invisible[last - 1] + 4, "hidden.invisible-characters"});
    first = last;
  }
}

}  // namespace

std::vector<Region> find_hidden(std::string_view source, const Folded& text) {
  std::vector<Region> regions;
  find_enclosed(source, regions);
  find_unseen_elements(source, regions);
  find_invisible(text, regions);
  for (Region& region : regions) region.end = std::min(region.end, static_cast<std::uint32_t>(source.size()));
  std::sort(regions.begin(), regions.end(), [](const Region& a, const Region& b) { return a.begin < b.begin; });
  return regions;
}

void add_hidden(const std::vector<Region>& regions, Hits& hits) {
  constexpr double kHidden = 42, kFolded = 20, kLeast = 12;
  const std::size_t found = hits.size();
  for (const Region& region : regions) {
    double most = 0;
    for (std::size_t i = 0; i < found; ++i)
      if (hits[i].begin < region.end && hits[i].end > region.begin) most = std::max(most, hits[i].weight);
    if (most >= kLeast)
      hits.push_back(
          {region.rule, Category::kHidden, region.is_folded() ? kFolded : kHidden, region.begin, region.end, false});
  }
}

}  // namespace magi::assess
