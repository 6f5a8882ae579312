#include "tools/magi-mcp/http_channel.h"

#include <sys/random.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "libcommon/base/clock.h"
#include "libcommon/base/utf8.h"
#include "libcommon/net/retry_after.h"
#include "libcommon/net/sse.h"

namespace magi::mcp {
namespace {

constexpr int kMostTries = 6;
constexpr double kLongestServerDelayS = 60, kLongestDelayS = 30, kFirstDelayS = 0.5;
constexpr int kMostResumptions = 3;  // of the answer to one request
constexpr int kMostListens = 5;      // that failed one after another
constexpr std::int64_t kDeleteMs = 1000;
constexpr std::int64_t kTellMs = 10'000;  // for a message that has no answer
constexpr std::size_t kShownError = 300;

double unit_random() {
  std::uint32_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) < 0) bits = static_cast<std::uint32_t>(monotonic_ns());
  return bits / 4294967296.0;
}

// The start of a body that says why, in one line.
std::string said(const std::string& body) {
  std::string text = utf8::sanitize(std::string_view(body).substr(0, kShownError));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text.empty() ? text : ": " + text;
}

class HttpChannel final : public Channel {
 public:
  HttpChannel(Loop& loop, Http& http, HttpSpec spec, Handlers handlers)
      : loop_(loop), http_(http), spec_(std::move(spec)), handlers_(std::move(handlers)) {}
  ~HttpChannel() override {
    closed_ = true;
    drop_all();
  }

  void send(std::string json, std::int64_t id) override {
    waiting_.emplace_back(std::move(json), id);
    send_waiting();
  }
  void forget(std::int64_t id) override;
  void opened(std::string_view protocol_version) override { protocol_version_ = protocol_version; }
  void hang_up() override {}
  void close() override;

 private:
  // One message of ours and what it is answered with, over as many transfers as that takes.
  struct Exchange : net::SseSink {
    std::int64_t id = 0;  // 0: no answer is due
    std::string body;
    int tries = 0, resumptions = 0;
    Http::Id transfer = 0;
    Loop::Token timer = 0;
    HttpHead head;
    std::string collected, last_event;
    net::SseParser events;
    HttpChannel* channel = nullptr;
    void on_sse(const net::SseEvent& event) override {
      // An event before this one may have ended the channel.
      if (!channel->closed_ && !event.data.empty() && !event.torn) channel->handlers_.on_message(event.data);
    }
  };
  bool is_stream(const Exchange& exchange) const { return exchange.head.content_type.starts_with("text/event-stream"); }
  std::vector<std::string> headers(bool with_body) const;
  void send_waiting();
  void post(int number);
  void resume(int number);
  Http::Observer observer(int number);
  bool take(int number, std::string_view bytes);
  void ended(int number, std::optional<Error> failed);
  void answered(int number);
  void refused(int number);
  void fail(int number, Error why);
  void drop(int number);
  void drop_all();
  void die(Error why);
  void listen();

  Loop& loop_;
  Http& http_;
  HttpSpec spec_;
  Handlers handlers_;
  std::string session_id_, protocol_version_;
  std::map<int, Exchange> exchanges_;
  std::deque<std::pair<std::string, std::int64_t>> waiting_;  // messages behind the one that is told
  int telling_ = 0;  // the exchange of a message without an answer, which those behind it must not overtake
  std::vector<std::map<int, Exchange>::node_type> dropped_;  // may be at work further up the stack
  Loop::Token sweep_ = 0;
  int last_ = 0, listening_ = 0, listen_failures_ = 0;
  bool closed_ = false;
};

std::vector<std::string> HttpChannel::headers(bool with_body) const {
  std::vector<std::string> all = spec_.headers;
  all.push_back(with_body ? "Accept: application/json, text/event-stream" : "Accept: text/event-stream");
  if (with_body) all.emplace_back("Content-Type: application/json");
  if (!session_id_.empty()) all.push_back("Mcp-Session-Id: " + session_id_);
  if (!protocol_version_.empty()) all.push_back("MCP-Protocol-Version: " + protocol_version_);
  return all;
}

Http::Observer HttpChannel::observer(int number) {
  return {[this, number](const HttpHead& head) {
            exchanges_[number].head = head;
            if (session_id_.empty() && head.status < 300) session_id_ = head.session_id;
          },
          [this, number](std::string_view bytes) { return take(number, bytes); },
          [this, number](std::optional<Error> failed) { ended(number, std::move(failed)); }};
}

void HttpChannel::send_waiting() {
  while (telling_ == 0 && !waiting_.empty()) {
    const int number = ++last_;
    Exchange& exchange = exchanges_[number];
    exchange.body = std::move(waiting_.front().first);
    exchange.id = waiting_.front().second;
    waiting_.pop_front();
    if (exchange.id == 0) telling_ = number;
    post(number);
  }
}

void HttpChannel::post(int number) {
  Exchange& exchange = exchanges_[number];
  exchange.channel = this;
  ++exchange.tries;
  exchange.head = {};
  exchange.collected.clear();
  exchange.transfer = http_.begin(
      {Http::Verb::kPost, spec_.url, exchange.body, headers(true), exchange.id == 0 ? kTellMs : 0}, observer(number));
}

// Asks for the rest of an answer that broke off, where the server numbers its events.
void HttpChannel::resume(int number) {
  Exchange& exchange = exchanges_[number];
  ++exchange.resumptions;
  if (!exchange.events.last_id().empty()) exchange.last_event = exchange.events.last_id();
  exchange.head = {};
  exchange.events = {};
  exchange.collected.clear();
  std::vector<std::string> all = headers(false);
  if (!exchange.last_event.empty()) all.push_back("Last-Event-ID: " + exchange.last_event);
  exchange.transfer = http_.begin({Http::Verb::kGet, spec_.url, {}, std::move(all), 0}, observer(number));
}

// Messages that come without being asked for: lists that changed.  A server without them answers 405.
void HttpChannel::listen() {
  listening_ = ++last_;
  exchanges_[listening_].channel = this;
  resume(listening_);
}

bool HttpChannel::take(int number, std::string_view bytes) {
  const auto found = exchanges_.find(number);
  if (found == exchanges_.end()) return false;
  Exchange& exchange = found->second;
  if (exchange.head.status >= 200 && exchange.head.status < 300 && is_stream(exchange)) {
    exchange.events.push(bytes, exchange);  // its handler may make us drop the exchange
    const auto still = exchanges_.find(number);
    return still != exchanges_.end() && !still->second.events.overflowed();
  }
  const bool is_error = exchange.head.status >= 300;
  if (is_error && exchange.collected.size() > kShownError) return true;
  exchange.collected += bytes;
  return exchange.collected.size() <= kLongestMessage;
}

void HttpChannel::ended(int number, std::optional<Error> failed) {
  const auto found = exchanges_.find(number);
  if (closed_ || found == exchanges_.end()) return;
  Exchange& exchange = found->second;
  exchange.transfer = 0;
  if (exchange.head.status >= 300) return refused(number);
  if (number == listening_) {
    listen_failures_ = failed ? listen_failures_ + 1 : 1;
    if (listen_failures_ > kMostListens || !is_stream(exchange)) return drop(number);
    exchange.timer = loop_.after(1000LL << listen_failures_, [this, number] { resume(number); });
    return;
  }
  if (failed && exchange.collected.size() > kLongestMessage)
    failed = make_error(ErrorCode::kUpstream, "it answered with more than 32 MiB");
  if (exchange.events.overflowed()) failed = make_error(ErrorCode::kUpstream, "it sent an event of more than 16 MiB");
  const bool resumable =
      exchange.id != 0 && is_stream(exchange) && !(exchange.last_event + exchange.events.last_id()).empty();
  if (resumable && !exchange.events.overflowed() && exchange.resumptions < kMostResumptions) return resume(number);
  if (failed) return fail(number, *std::move(failed));
  answered(number);
}

void HttpChannel::answered(int number) {
  Exchange& exchange = exchanges_[number];
  if (is_stream(exchange)) {
    if (exchange.id != 0)
      return fail(number, make_error(ErrorCode::kUpstream, "its stream of events ended without an answer"));
  } else if (!exchange.collected.empty()) {
    const std::string message = std::exchange(exchange.collected, {});
    handlers_.on_message(message);
    // An answer makes its receiver forget the exchange.
    const auto still = exchanges_.find(number);
    if (still != exchanges_.end() && still->second.id != 0)
      return fail(number,
                  make_error(ErrorCode::kUpstream, "it answered with another message than the one that is due"));
  } else if (exchange.id != 0) {
    return fail(number, make_error(ErrorCode::kUpstream, "it answered ", std::to_string(exchange.head.status),
                                   " without a message"));
  }
  drop(number);
}

// A status that is no success.
void HttpChannel::refused(int number) {
  Exchange& exchange = exchanges_[number];
  const std::int64_t status = exchange.head.status;
  if (number == listening_) return drop(number);
  const std::string text = "HTTP " + std::to_string(status) + said(exchange.collected);
  if (status == 429 || status == 503) {
    const auto server = net::server_delay({}, exchange.head.retry_after, exchange.head.date, unix_time_ms() / 1000);
    if (const auto delay_s = retry_delay(exchange.tries, server, unit_random())) {
      const auto delay_ms = static_cast<std::int64_t>(std::ceil(*delay_s * 1000));
      handlers_.on_note("the server is busy (HTTP " + std::to_string(status) + "); trying again in " +
                        std::to_string((delay_ms + 999) / 1000) + " s");
      exchange.timer = loop_.after(delay_ms, [this, number] { post(number); });
      return;
    }
    return fail(
        number,
        make_error(ErrorCode::kUpstream, text,
                   server ? "; it asks to wait " + std::to_string(static_cast<std::int64_t>(*server)) + " s" : ""));
  }
  if (status == 404 && !session_id_.empty()) return die(make_error(ErrorCode::kNotFound, "its session has expired"));
  if (status == 401 || status == 403)
    return fail(number, make_error(ErrorCode::kDenied, text,
                                   "; it wants a header that proves who asks (mcp_servers.*.headers)"));
  if (status < 400)
    return fail(number, make_error(ErrorCode::kConfig, text, ": it moved to ", quoted(exchange.head.location),
                                   "; headers are sent to the configured address alone"));
  fail(number, make_error(ErrorCode::kUpstream, text));
}

void HttpChannel::fail(int number, Error why) {
  const std::int64_t id = exchanges_[number].id;
  drop(number);
  if (id != 0) handlers_.on_failed(id, std::move(why));
}

void HttpChannel::drop(int number) {
  const auto found = exchanges_.find(number);
  if (found == exchanges_.end()) return;
  if (found->second.transfer != 0) http_.abort(found->second.transfer);
  loop_.cancel(found->second.timer);
  dropped_.push_back(exchanges_.extract(found));
  loop_.cancel(sweep_);
  sweep_ = loop_.after(0, [this] { dropped_.clear(); });
  if (number != telling_ || closed_) return;
  telling_ = 0;
  // The first thing that is told is that we are ready for what comes by itself.
  if (listening_ == 0) listen();
  send_waiting();
}

void HttpChannel::drop_all() {
  while (!exchanges_.empty()) drop(exchanges_.begin()->first);
  loop_.cancel(sweep_);
}

void HttpChannel::forget(std::int64_t id) {
  std::erase_if(waiting_, [&](const auto& message) { return id != 0 && message.second == id; });
  for (const auto& [number, exchange] : exchanges_)
    if (exchange.id == id) return drop(number);
}

void HttpChannel::die(Error why) {
  if (std::exchange(closed_, true)) return;
  drop_all();
  handlers_.on_closed(std::move(why));
}

void HttpChannel::close() {
  if (std::exchange(closed_, true)) return;
  drop_all();
  waiting_.clear();
  if (session_id_.empty()) return;
  Http::Request request{Http::Verb::kDelete, spec_.url, {}, headers(false), kDeleteMs};
  if (http_.at_work()) {
    http_.begin(std::move(request), {});
    return;
  }
  bool done = false;
  const Http::Id id = http_.begin(std::move(request), {{}, {}, [&](std::optional<Error>) { done = true; }});
  loop_.run_until([&] { return done; }, kDeleteMs);
  http_.abort(id);
}

}  // namespace

std::optional<double> retry_delay(int tries, std::optional<double> server_s, double unit_random) {
  if (tries >= kMostTries || server_s.value_or(0) > kLongestServerDelayS) return std::nullopt;
  const double own = std::min(kLongestDelayS, kFirstDelayS * std::exp2(tries - 1)) * (0.75 + unit_random / 2);
  return std::max(own, server_s.value_or(0));
}

std::unique_ptr<Channel> open_http(Loop& loop, Http& http, HttpSpec spec, Channel::Handlers handlers) {
  return std::make_unique<HttpChannel>(loop, http, std::move(spec), std::move(handlers));
}

}  // namespace magi::mcp
