#include "tools/magi-provider/transport.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "libcommon/config/provider_choice.h"

namespace magi::provider {
namespace {

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && contains_ignoring_case(a, b);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

FailureKind kind_of(CURLcode code, bool answered) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CERTPROBLEM: return FailureKind::kCertificate;
    case CURLE_URL_MALFORMAT: return FailureKind::kRequest;
    default: return answered ? FailureKind::kCut : FailureKind::kConnect;
  }
}

}  // namespace

struct Transport::Handles {
  CURLM* multi = nullptr;
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  std::array<char, CURL_ERROR_SIZE> error{};

  ~Handles() {
    curl_slist_free_all(headers);
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
    curl_global_cleanup();
  }
};

Result<std::unique_ptr<Transport>> Transport::create(net::NetworkOptions options) {
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return make_error(ErrorCode::kInternal, "cannot set up HTTP");
  auto handles = std::make_unique<Handles>();
  handles->multi = curl_multi_init();
  handles->easy = curl_easy_init();
  if (!handles->multi || !handles->easy) return make_error(ErrorCode::kInternal, "cannot set up HTTP");
  auto transport = std::unique_ptr<Transport>(new Transport(std::move(handles)));
  transport->options_ = std::move(options);
  return transport;
}

Transport::Transport(std::unique_ptr<Handles> handles) : handles_(std::move(handles)) {}
Transport::~Transport() { abort(); }

void Transport::begin(const HttpRequest& request, TransferObserver& observer) {
  abort();
  observer_ = &observer;
  body_ = request.body;
  sent_bytes_ = 0;
  head_ = {};
  head_complete_ = false;
  failure_.reset();
  origin_ = net::origin_of(request.url);
  on_this_machine_ = config::is_loopback_url(request.url);
  set_up(request);
  curl_multi_add_handle(handles_->multi, handles_->easy);
}

void Transport::set_up(const HttpRequest& request) {
  CURL* easy = handles_->easy;
  curl_easy_reset(easy);
  handles_->error[0] = '\0';
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // Without it, ending a transfer that still resolves its host waits for the resolver.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, handles_->error.data());
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout_ms));
  // HTTP/2 where TLS offers it: there a cancelled answer leaves the connection open.
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 64L * 1024);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transport::write_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
  set_headers(request);
  if (body_) set_body();
  net::apply_network(easy, options_, request.url);
}

void Transport::set_headers(const HttpRequest& request) {
  CURL* easy = handles_->easy;
  curl_slist_free_all(handles_->headers);
  // Bodies over 1 MB would else wait a second for a "100 Continue".
  handles_->headers = curl_slist_append(nullptr, "Expect:");
  for (const std::string& header : request.headers)
    handles_->headers = curl_slist_append(handles_->headers, header.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, handles_->headers);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, net::kUserAgent.data());
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "identity");
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Transport::write_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
}

void Transport::set_body() {
  CURL* easy = handles_->easy;
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_->size()));
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 512L * 1024);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, &Transport::read_body);
  curl_easy_setopt(easy, CURLOPT_READDATA, static_cast<void*>(this));
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, &Transport::seek_body);
  curl_easy_setopt(easy, CURLOPT_SEEKDATA, static_cast<void*>(this));
}

std::size_t Transport::read_body(char* buffer, std::size_t size, std::size_t count, void* self) {
  Transport& transport = *static_cast<Transport*>(self);
  const std::size_t room = size * count;
  std::size_t copied = 0, skipped = 0;
  for (const std::string& piece : transport.body_->pieces()) {
    const std::size_t at = transport.sent_bytes_ + copied;
    if (at < skipped + piece.size()) {
      const std::size_t offset = at - skipped;
      const std::size_t bytes = std::min(piece.size() - offset, room - copied);
      std::copy_n(piece.data() + offset, bytes, buffer + copied);
      copied += bytes;
      if (copied == room) break;
    }
    skipped += piece.size();
  }
  transport.sent_bytes_ += copied;
  if (transport.observer_) transport.observer_->on_sent();
  return copied;
}

int Transport::seek_body(void* self, std::int64_t offset, int origin) {
  if (origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
  static_cast<Transport*>(self)->sent_bytes_ = static_cast<std::size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

std::size_t Transport::write_body(char* bytes, std::size_t size, std::size_t count, void* self) {
  const Transport& transport = *static_cast<Transport*>(self);
  if (transport.observer_) transport.observer_->on_bytes({bytes, size * count});
  return size * count;
}

std::size_t Transport::write_header(char* bytes, std::size_t size, std::size_t count, void* self) {
  static_cast<Transport*>(self)->take_header({bytes, size * count});
  return size * count;
}

void Transport::take_header(std::string_view line) {
  if (head_complete_) return;  // trailers
  if (line.substr(0, 5) == "HTTP/") {
    head_ = {};
    const std::string_view status = line.substr(std::min(line.find(' '), line.size() - 1) + 1);
    std::from_chars(status.data(), status.data() + status.size(), head_.status);
    return;
  }
  line = trimmed(line);
  if (line.empty()) {
    head_complete_ = head_.status >= 200;  // 1xx announce, and the real head follows
    if (head_complete_ && observer_) observer_->on_head(head_);
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon);
  const std::pair<std::string_view, std::string*> kept[] = {{"content-type", &head_.content_type},
                                                            {"request-id", &head_.request_id},
                                                            {"x-request-id", &head_.request_id},
                                                            {"apim-request-id", &head_.request_id},
                                                            {"cf-ray", &head_.proxy_id},
                                                            {"x-codex-turn-state", &head_.turn_state},
                                                            {"location", &head_.location},
                                                            {"date", &head_.date},
                                                            {"retry-after", &head_.retry_after},
                                                            {"retry-after-ms", &head_.retry_after_ms},
                                                            {"x-should-retry", &head_.should_retry}};
  for (const auto& [key, target] : kept) {
    if (equals_ignoring_case(name, key) && target->empty()) *target = trimmed(line.substr(colon + 1));
  }
}

void Transport::step() {
  if (!active()) return;
  int running = 0;
  curl_multi_perform(handles_->multi, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(handles_->multi, &left))
    if (message->msg == CURLMSG_DONE) return finish(message->data.result);
}

void Transport::finish(int curl_code) {
  const auto code = static_cast<CURLcode>(curl_code);
  curl_multi_remove_handle(handles_->multi, handles_->easy);
  observer_ = nullptr;
  if (code == CURLE_OK) return;
  long os_error = 0;
  curl_easy_getinfo(handles_->easy, CURLINFO_OS_ERRNO, &os_error);
  const char* said = handles_->error[0] ? handles_->error.data() : curl_easy_strerror(code);
  if (code == CURLE_COULDNT_CONNECT && os_error != 0) said = std::strerror(static_cast<int>(os_error));
  Failure failure;
  failure.kind = kind_of(code, head_complete_);
  failure.nobody_listens = code == CURLE_COULDNT_CONNECT && os_error == ECONNREFUSED && on_this_machine_;
  failure.message = (failure.kind == FailureKind::kCut ? "the connection to " : "cannot reach ") + origin_ +
                    (failure.kind == FailureKind::kCut ? " broke: " : ": ") + one_line(said);
  failure_ = std::move(failure);
}

void Transport::abort() {
  if (!active()) return;
  curl_multi_remove_handle(handles_->multi, handles_->easy);
  observer_ = nullptr;
}

// The handle of all transfers owns them.
void Transport::forget_connections() {
  CURLM* fresh = curl_multi_init();
  if (!fresh) return;
  curl_multi_cleanup(std::exchange(handles_->multi, fresh));
}

void Transport::wait(std::span<const int> readable, int watched, std::int64_t timeout_ms) {
  std::vector<curl_waitfd> extra;
  for (const int fd : readable) extra.push_back({fd, CURL_WAIT_POLLIN, 0});
  if (watched >= 0) extra.push_back({watched, 0, 0});
  curl_multi_poll(handles_->multi, extra.data(), static_cast<unsigned>(extra.size()), static_cast<int>(timeout_ms),
                  nullptr);
}

}  // namespace magi::provider
