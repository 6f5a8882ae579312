// URLs, as libcurl understands them: what is checked is what is fetched.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/result.h"

namespace magi::web {

struct Url {
  std::string text;    // normalized, without fragment
  std::string scheme;  // "http", "https"
  std::string host;    // lower case; an address in its usual spelling, IPv6 in brackets
};

// `text` may lack its scheme (then https); spaces and letters beyond ASCII are encoded.  kUsage: not http or https, no
// host, or a user name in it.
Result<Url> parse_url(const std::string& text);
// A reference found in the page at `base`.
Result<Url> resolve_url(const Url& base, const std::string& reference);

// A reference as a link for people: absolute, with its fragment; as it is where it cannot be resolved.
std::string link_target(const Url& base, std::string_view reference);

// "example.org" for "www.example.org": what people take for one host.
std::string_view plain_host(std::string_view host);

}  // namespace magi::web
