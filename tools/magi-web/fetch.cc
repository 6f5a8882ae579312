#include "tools/magi-web/fetch.h"

#include <curl/curl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>

#include "libcommon/base/clock.h"
#include "tools/magi-web/address.h"
#include "tools/magi-web/url.h"

namespace magi::web {
namespace {

constexpr std::size_t kMostHeaderBytes = 256 * 1024;
constexpr long kConnectMs = 10'000;
constexpr char kAccept[] = "Accept: text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.5";

bool is_redirect(std::int64_t status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// One request and its answer.  A connection of its own, so that each is opened to an address that was checked.
class Hop {
 public:
  Hop(const Url& url, const FetchOptions& options, std::int64_t timeout_ms)
      : url_(url), options_(options), timeout_ms_(timeout_ms), easy_(curl_easy_init()) {}

  Result<void> run();
  std::int64_t status() const { return status_; }
  const std::string& location() const { return location_; }
  const std::string& content_type() const { return content_type_; }
  std::string& body() { return body_; }
  bool cut() const { return cut_; }

 private:
  struct FreeEasy {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  Result<void> check_host();
  void set_up();
  Error broken(CURLcode code);

  static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* self);

  const Url& url_;
  const FetchOptions& options_;
  std::int64_t timeout_ms_;
  std::unique_ptr<CURL, FreeEasy> easy_;
  std::unique_ptr<curl_slist, FreeList> headers_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  bool through_proxy_ = false;
  std::string refused_;  // "127.0.0.1, a loopback address"
  std::size_t header_bytes_ = 0;
  std::int64_t status_ = 0;
  std::string location_, content_type_, body_;
  bool cut_ = false;
};

// The address of the very connection that is about to be opened: whatever a name resolves to later changes nothing.
curl_socket_t Hop::open_socket(void* self, curlsocktype, curl_sockaddr* address) {
  Hop& hop = *static_cast<Hop*>(self);
  if (!hop.through_proxy_ && !hop.options_.allow_private) {
    if (const std::string_view why = refused_range(address->addr); !why.empty()) {
      hop.refused_ = address_text(address->addr) + ", " + std::string(why);
      return CURL_SOCKET_BAD;
    }
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t Hop::take_header(char*, std::size_t size, std::size_t count, void* self) {
  Hop& hop = *static_cast<Hop*>(self);
  hop.header_bytes_ += size * count;
  return hop.header_bytes_ > kMostHeaderBytes ? 0 : size * count;
}

std::size_t Hop::take_body(char* bytes, std::size_t size, std::size_t count, void* self) {
  Hop& hop = *static_cast<Hop*>(self);
  const std::size_t came = size * count, room = static_cast<std::size_t>(hop.options_.max_bytes) - hop.body_.size();
  hop.body_.append(bytes, std::min(came, room));
  hop.cut_ = came > room;
  return hop.cut_ ? 0 : came;
}

void Hop::set_up() {
  CURL* const easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_URL, url_.text.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_.data());
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, std::min(kConnectMs, static_cast<long>(timeout_ms_)));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ms_));
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");  // all that libcurl can decode; what is counted is decoded
  curl_easy_setopt(easy, CURLOPT_USERAGENT, net::kUserAgent.data());
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  headers_.reset(curl_slist_append(nullptr, kAccept));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &Hop::open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Hop::take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Hop::take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
  net::NetworkOptions network = options_.network;
  if (!through_proxy_) network.http_proxy = network.https_proxy = {};
  network.no_proxy = {};  // it was looked at: whether a proxy is used must be known here
  net::apply_network(easy, network, url_.text);
}

// A proxy looks the name up by itself: then only what the name says can be checked.
Result<void> Hop::check_host() {
  through_proxy_ =
      !net::proxy_for(options_.network, url_.text).empty() && !bypasses_proxy(url_.host, options_.network.no_proxy);
  if (!through_proxy_ || options_.allow_private) return {};
  std::string_view why = refused_literal(url_.host);
  if (why.empty() && is_local_name(url_.host)) why = "a name of the local network";
  if (why.empty()) return {};
  return make_error(ErrorCode::kDenied, quoted(url_.host), " is refused: it is ", why);
}

Error Hop::broken(CURLcode code) {
  const std::string origin = net::origin_of(url_.text);
  if (!refused_.empty()) return make_error(ErrorCode::kDenied, quoted(url_.host), " is refused: it is ", refused_);
  if (code == CURLE_OPERATION_TIMEDOUT) return make_error(ErrorCode::kUpstream, origin, " did not answer in time");
  if (header_bytes_ > kMostHeaderBytes) return make_error(ErrorCode::kUpstream, origin, " sends endless headers");
  return make_error(ErrorCode::kUpstream, status_ == 0 ? "cannot reach " : "lost the connection to ", origin, ": ",
                    error_[0] ? error_.data() : curl_easy_strerror(code));
}

Result<void> Hop::run() {
  if (!easy_) return make_error(ErrorCode::kInternal, "cannot set up HTTP");
  MAGI_CHECK(check_host());
  set_up();
  const CURLcode code = curl_easy_perform(easy_.get());
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  status_ = status;
  if (code != CURLE_OK && !cut_) return broken(code);
  const char* text = nullptr;
  if (curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_TYPE, &text) == CURLE_OK && text) content_type_ = text;
  curl_header* header = nullptr;
  if (curl_easy_header(easy_.get(), "Location", 0, CURLH_HEADER, -1, &header) == CURLHE_OK) location_ = header->value;
  return {};
}

}  // namespace

Result<Fetched> fetch(const std::string& text, const FetchOptions& options) {
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return make_error(ErrorCode::kInternal, "cannot set up HTTP");
  const std::int64_t deadline_ns = monotonic_ns() + options.timeout_ms * 1'000'000;
  MAGI_TRY(Url url, parse_url(text));
  Fetched fetched;
  for (;;) {
    const std::int64_t left_ms = (deadline_ns - monotonic_ns()) / 1'000'000;
    if (left_ms <= 0) return make_error(ErrorCode::kUpstream, net::origin_of(url.text), " did not answer in time");
    Hop hop(url, options, left_ms);
    MAGI_CHECK(hop.run());
    if (is_redirect(hop.status()) && !hop.location().empty()) {
      MAGI_TRY(Url next, resolve_url(url, hop.location()));
      if (options.same_host && plain_host(next.host) != plain_host(url.host)) {
        fetched.leads_to = next.text;
      } else if (fetched.redirects.size() == static_cast<std::size_t>(options.max_redirects)) {
        return make_error(ErrorCode::kUpstream, "more than ", std::to_string(options.max_redirects), " redirects");
      } else {
        fetched.redirects.push_back(next.text);
        url = std::move(next);
        continue;
      }
    }
    fetched.url = url.text;
    fetched.status = hop.status();
    fetched.content_type = hop.content_type();
    fetched.body = std::move(hop.body());
    fetched.cut = hop.cut();
    return fetched;
  }
}

}  // namespace magi::web
