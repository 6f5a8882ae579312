#include "tools/magi-web/url.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

namespace magi::web {
namespace {

struct Free {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Handle = std::unique_ptr<CURLU, Free>;

constexpr unsigned kSetFlags = CURLU_URLENCODE | CURLU_DEFAULT_SCHEME | CURLU_NON_SUPPORT_SCHEME;
constexpr std::size_t kLongestUrl = 8192;

// Empty where the part is missing.
std::string part(CURLU* url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, flags) != CURLUE_OK || !text) return {};
  std::string out(text);
  curl_free(text);
  return out;
}

Result<Url> checked(CURLU* handle, const std::string& shown) {
  Url url;
  url.scheme = part(handle, CURLUPART_SCHEME);
  if (url.scheme != "http" && url.scheme != "https")
    return make_error(ErrorCode::kUsage, quoted(shown), " is no http or https URL");
  if (!part(handle, CURLUPART_USER).empty() || !part(handle, CURLUPART_PASSWORD).empty())
    return make_error(ErrorCode::kUsage, "a URL with a user name in it is not fetched");
  url.host = part(handle, CURLUPART_HOST);
  std::transform(url.host.begin(), url.host.end(), url.host.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  curl_url_set(handle, CURLUPART_FRAGMENT, nullptr, 0);
  url.text = part(handle, CURLUPART_URL);
  if (url.host.empty() || url.text.empty()) return make_error(ErrorCode::kUsage, quoted(shown), " names no host");
  return url;
}

Error unusable(const std::string& text, CURLUcode code) {
  return make_error(ErrorCode::kUsage, quoted(text), " is no URL: ", curl_url_strerror(code));
}

}  // namespace

Result<Url> parse_url(const std::string& text) {
  if (text.size() > kLongestUrl) return make_error(ErrorCode::kUsage, "the URL is longer than 8192 bytes");
  const Handle handle(curl_url());
  if (!handle) return make_error(ErrorCode::kInternal, "out of memory");
  if (const CURLUcode code = curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), kSetFlags); code != CURLUE_OK)
    return unusable(text, code);
  return checked(handle.get(), text);
}

Result<Url> resolve_url(const Url& base, const std::string& reference) {
  if (reference.size() > kLongestUrl) return make_error(ErrorCode::kUsage, "the URL is longer than 8192 bytes");
  const Handle handle(curl_url());
  if (!handle || curl_url_set(handle.get(), CURLUPART_URL, base.text.c_str(), 0) != CURLUE_OK)
    return make_error(ErrorCode::kInternal, "out of memory");
  constexpr unsigned kFlags = CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME;
  if (const CURLUcode code = curl_url_set(handle.get(), CURLUPART_URL, reference.c_str(), kFlags); code != CURLUE_OK)
    return unusable(reference, code);
  return checked(handle.get(), reference);
}

std::string link_target(const Url& base, std::string_view reference) {
  const Handle handle(curl_url());
  const std::string text(reference);
  if (!handle || text.size() > kLongestUrl ||
      curl_url_set(handle.get(), CURLUPART_URL, base.text.c_str(), 0) != CURLUE_OK)
    return text;
  if (curl_url_set(handle.get(), CURLUPART_URL, text.c_str(), CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    return text;
  std::string target = part(handle.get(), CURLUPART_URL);
  return target.empty() ? text : target;
}

std::string_view plain_host(std::string_view host) {
  if (host.starts_with("www.")) host.remove_prefix(4);
  return host;
}

}  // namespace magi::web
