// HTML is read by a process of its own: what its parser is given comes from strangers, and it ends the process where it
// finds itself wrong.
#pragma once

#include <string>

#include "tools/magi-web/html_text.h"

namespace magi::web {

// Runs this very program again, for some seconds at most.  Where that fails the tags are dropped.
HtmlText read_html_apart(const std::string& html, const std::string& url);

}  // namespace magi::web
