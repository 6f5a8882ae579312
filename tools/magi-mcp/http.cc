#include "tools/magi-mcp/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace magi::mcp {
namespace {

constexpr long kConnectMs = 10'000;
constexpr std::size_t kMostHeaderBytes = 256 * 1024;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

}  // namespace

struct Http::Handles {
  CURLM* multi = nullptr;
  ~Handles() {
    curl_multi_cleanup(multi);
    curl_global_cleanup();
  }
};

struct Http::Transfer {
  Request request;
  Observer observer;
  CURLM* multi = nullptr;
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  HttpHead head;
  bool has_head = false;
  std::size_t header_bytes = 0;
  std::array<char, CURL_ERROR_SIZE> error{};

  ~Transfer() {
    if (easy) curl_multi_remove_handle(multi, easy);
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
  }
};

Result<std::unique_ptr<Http>> Http::create(Loop& loop, net::NetworkOptions network) {
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return make_error(ErrorCode::kInternal, "cannot set up HTTP");
  auto handles = std::make_unique<Handles>();
  handles->multi = curl_multi_init();
  if (!handles->multi) return make_error(ErrorCode::kInternal, "cannot set up HTTP");
  return std::unique_ptr<Http>(new Http(loop, std::move(network), std::move(handles)));
}

Http::Http(Loop& loop, net::NetworkOptions network, std::unique_ptr<Handles> handles)
    : loop_(loop), network_(std::move(network)), handles_(std::move(handles)) {
  loop_.set_waiter({[this](std::span<pollfd> fds, int timeout_ms) {
                      std::vector<curl_waitfd> extra;
                      for (const pollfd& one : fds) {
                        const int in = one.events & POLLIN ? CURL_WAIT_POLLIN : 0;
                        const int out = one.events & POLLOUT ? CURL_WAIT_POLLOUT : 0;
                        extra.push_back({one.fd, static_cast<short>(in | out), 0});
                      }
                      curl_multi_poll(handles_->multi, extra.data(), static_cast<unsigned>(extra.size()), timeout_ms,
                                      nullptr);
                      // What libcurl reports leaves out hang-ups.
                      ::poll(fds.data(), fds.size(), 0);
                    },
                    [this] { work(); }});
}

Http::~Http() {
  transfers_.clear();
  ended_.clear();
  loop_.set_waiter({});
}

void Http::set_up(Transfer& transfer) {
  CURL* const easy = transfer.easy;
  const Request& request = transfer.request;
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // headers may hold keys
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error.data());
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.limit_ms));
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(easy, CURLOPT_USERAGENT, net::kUserAgent.data());
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  transfer.headers = curl_slist_append(nullptr, "Expect:");
  for (const std::string& header : request.headers)
    transfer.headers = curl_slist_append(transfer.headers, header.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers);
  if (request.verb == Verb::kDelete) curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "DELETE");
  if (request.verb == Verb::kPost) {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  }
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Http::take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Http::take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  curl_easy_setopt(easy, CURLOPT_PRIVATE, static_cast<void*>(&transfer));
  net::apply_network(easy, network_, request.url);
}

Http::Id Http::begin(Request request, Observer observer) {
  auto transfer = std::make_unique<Transfer>();
  transfer->request = std::move(request);
  transfer->observer = std::move(observer);
  transfer->multi = handles_->multi;
  transfer->easy = curl_easy_init();
  set_up(*transfer);
  // libcurl takes none while it calls us.
  if (at_work_)
    beginning_.push_back(last_ + 1);
  else
    curl_multi_add_handle(handles_->multi, transfer->easy);
  transfers_.emplace(++last_, std::move(transfer));
  return last_;
}

// The transfer may be the one whose observer asks for this.
void Http::abort(Id id) {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return;
  found->second->observer = {};
  // Inside one of its callbacks libcurl still holds it.
  if (at_work_) ended_.push_back(std::move(found->second));
  transfers_.erase(found);
}

std::size_t Http::take_header(char* bytes, std::size_t size, std::size_t count, void* self) {
  Transfer& transfer = *static_cast<Transfer*>(self);
  transfer.header_bytes += size * count;
  if (transfer.header_bytes > kMostHeaderBytes) return 0;
  std::string_view line(bytes, size * count);
  HttpHead& head = transfer.head;
  if (line.starts_with("HTTP/")) {
    head = {};
    const std::string_view status = line.substr(std::min(line.find(' '), line.size() - 1) + 1);
    std::from_chars(status.data(), status.data() + status.size(), head.status);
    return size * count;
  }
  line = trimmed(line);
  if (line.empty() && head.status >= 200 && !std::exchange(transfer.has_head, true)) {
    if (const auto on_head = transfer.observer.on_head) on_head(head);
    return size * count;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || transfer.has_head) return size * count;
  const std::string name = lower(line.substr(0, colon));
  const std::pair<std::string_view, std::string*> kept[] = {{"content-type", &head.content_type},
                                                            {"mcp-session-id", &head.session_id},
                                                            {"location", &head.location},
                                                            {"retry-after", &head.retry_after},
                                                            {"date", &head.date}};
  for (const auto& [key, target] : kept)
    if (name == key) *target = trimmed(line.substr(colon + 1));
  return size * count;
}

std::size_t Http::take_body(char* bytes, std::size_t size, std::size_t count, void* self) {
  const auto on_bytes = static_cast<Transfer*>(self)->observer.on_bytes;
  return !on_bytes || on_bytes({bytes, size * count}) ? size * count : 0;
}

void Http::work() {
  int running = 0;
  at_work_ = true;
  curl_multi_perform(handles_->multi, &running);
  at_work_ = false;
  ended_.clear();
  for (const Id id : std::exchange(beginning_, {}))
    if (const auto found = transfers_.find(id); found != transfers_.end())
      curl_multi_add_handle(handles_->multi, found->second->easy);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(handles_->multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    char* raw = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &raw);
    const auto found = std::find_if(transfers_.begin(), transfers_.end(), [&](const auto& one) {
      return static_cast<void*>(one.second.get()) == static_cast<void*>(raw);
    });
    if (found == transfers_.end()) continue;
    const std::unique_ptr<Transfer> transfer = std::move(found->second);
    transfers_.erase(found);
    std::optional<Error> failed;
    if (code != CURLE_OK)
      failed = make_error(ErrorCode::kUpstream, transfer->has_head ? "the connection to " : "cannot reach ",
                          net::origin_of(transfer->request.url), transfer->has_head ? " broke: " : ": ",
                          transfer->error[0] ? transfer->error.data() : curl_easy_strerror(code));
    if (transfer->observer.on_end) transfer->observer.on_end(std::move(failed));
  }
}

}  // namespace magi::mcp
