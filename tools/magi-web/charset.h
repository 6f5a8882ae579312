// Text of any encoding as UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace magi::web {

// The encoding that a page is in, by its byte order mark, the Content-Type header, or (`is_html`) a meta element near
// its start; where nothing tells, UTF-8 if it is valid, else windows-1252, as browsers do.  One of a fixed set of
// names.
std::string_view encoding_of(std::string_view bytes, std::string_view content_type, bool is_html);

// What cannot be decoded becomes U+FFFD.  A byte order mark is dropped.
std::string to_utf8(std::string_view bytes, std::string_view encoding);

// "text/html" of "Text/HTML; charset=x".
std::string media_type(std::string_view content_type);

}  // namespace magi::web
