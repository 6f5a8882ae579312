// What was fetched, as text for a model or a person.
#pragma once

#include <functional>
#include <string>

#include "tools/magi-web/fetch.h"
#include "tools/magi-web/html_text.h"

namespace magi::web {

struct Page {
  std::string title, text;
  std::string note;  // what the reader must know besides: cut, no text, another address
};

// HTML (UTF-8) of the page at `url` as text.
using HtmlReader = std::function<HtmlText(const std::string& html, const std::string& url)>;
HtmlText read_html(const std::string& html, const std::string& url);

// HTML is laid out, other text decoded, anything else described in the note.
Page read_page(const Fetched& fetched, const HtmlReader& read = read_html);

// Without what a reader cannot see: control characters but LF and TAB, invisible and direction-changing ones.
// Requires: valid UTF-8.
std::string seen_only(std::string_view text);

}  // namespace magi::web
