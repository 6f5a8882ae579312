// The Markdown of answers as HTML that can do nothing: no raw HTML, no pictures, links to the web and mail addresses
// alone.  md4c stays behind it.
#pragma once

#include <string>
#include <string_view>

namespace magi::exporting {

// `text` as it may stand in HTML, in attributes too.
void append_escaped(std::string& out, std::string_view text);
void append_html(std::string& out, std::string_view markdown);

}  // namespace magi::exporting
