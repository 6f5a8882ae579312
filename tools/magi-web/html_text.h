// HTML as text that reads well: headings, lists, tables, preformatted text, links as "text <url>".  What a browser
// would not show (scripts, styles, hidden elements, comments) is left out.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace magi::web {

struct HtmlText {
  std::string title, text;
  bool plain = false;  // not worth a parser's time: tags were only dropped
};

// `target_of` makes the target of a link from its href; empty: the text alone is shown.  `html`: UTF-8.
// The parser may end the process: it holds some pages for impossible.
HtmlText html_to_text(std::string_view html, const std::function<std::string(std::string_view)>& target_of);

// Tags dropped, nothing parsed.
HtmlText html_without_tags(std::string_view html);

// Whether the parser's time could grow with the square of the page: elements nested, or attributes gathered, beyond
// what any page of good will has.
bool is_abusive(std::string_view html);

}  // namespace magi::web
