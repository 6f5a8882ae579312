#include "tests/fake/sender.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "libcommon/base/clock.h"

namespace magi::fake {
namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 404: return "Not Found";
    case 429: return "Too Many Requests";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return "Status";
  }
}

std::string head(int status, std::string_view content_type, const Headers& headers) {
  std::string out = "HTTP/1.1 " + std::to_string(status) + " ";
  out.append(reason(status)).append("\r\n");
  if (!content_type.empty()) out.append("content-type: ").append(content_type).append("\r\n");
  for (const auto& [name, value] : headers) out.append(name).append(": ").append(value).append("\r\n");
  return out;
}

// Something that happens once `at` bytes of the body have gone out.
struct Action {
  std::size_t at;
  std::string_view outcome;
  std::function<void()> run;
};

class Body {
 public:
  Body(Peer& peer, const Turn& turn, const std::optional<Fault>& fault, bool stream)
      : peer_(peer), turn_(turn), framing_(stream ? turn.framing : Framing::kLength), borders_(turn.split_at) {
    if (fault) plan(*fault);
    std::stable_sort(actions_.begin(), actions_.end(), [](const Action& a, const Action& b) { return a.at < b.at; });
    for (const Action& action : actions_) borders_.push_back(action.at);
    std::sort(borders_.begin(), borders_.end());
  }

  std::size_t injected() const { return injected_; }
  bool gone() const { return gone_; }
  void wait(double milliseconds) { gone_ = !peer_.pause(milliseconds) || gone_; }

  void put(std::string_view bytes) {
    while (true) {
      run_due_actions();
      if (bytes.empty() || gone_) return;
      const std::size_t n = std::min({bytes.size(), turn_.split ? turn_.split : bytes.size(), to_border()});
      piece(bytes.substr(0, n));
      sent_.bytes += n;
      bytes.remove_prefix(n);
      if (turn_.split || at_border()) rest_between_packets();
    }
  }

  // Ends the body; a fault placed beyond its end still happens.
  Sent finish() {
    for (Action& action : actions_) action.at = std::min(action.at, sent_.bytes);
    run_due_actions();
    if (!gone_ && framing_ == Framing::kChunked) gone_ = !peer_.write("0\r\n\r\n");
    if (gone_ && sent_.outcome != "cut") sent_.outcome = "client left";
    sent_.keep_alive = !gone_ && framing_ != Framing::kClose;
    return sent_;
  }

 private:
  void plan(const Fault& fault) {
    if (fault.stall_ms > 0) actions_.push_back({fault.stall_at, "stalled", [=, this] { wait(fault.stall_ms); }});
    if (fault.inject) {
      injected_ = fault.inject->size();
      actions_.push_back({fault.inject_at, "injected", [=, this] { piece(*fault.inject); }});
    }
    if (fault.cut_at) actions_.push_back({*fault.cut_at, "cut", [=, this] { cut(fault.reset); }});
  }

  void run_due_actions() {
    while (!gone_ && next_ < actions_.size() && actions_[next_].at <= sent_.bytes) {
      sent_.outcome = actions_[next_].outcome;
      actions_[next_++].run();
    }
  }

  std::size_t to_border() const {
    for (const std::size_t border : borders_)
      if (border > sent_.bytes) return border - sent_.bytes;
    return SIZE_MAX;
  }
  bool at_border() const { return std::binary_search(turn_.split_at.begin(), turn_.split_at.end(), sent_.bytes); }

  void rest_between_packets() {
    if (turn_.split_delay_ms > 0)
      wait(turn_.split_delay_ms);
    else
      ::sched_yield();
  }

  void piece(std::string_view bytes) {
    sent_.last_ns = monotonic_ns();
    if (sent_.first_ns == 0) sent_.first_ns = sent_.last_ns;
    if (framing_ != Framing::kChunked) {
      gone_ = gone_ || !peer_.write(bytes);
      return;
    }
    char size[24];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    gone_ = gone_ || !peer_.write(std::string(size).append(bytes).append("\r\n"));
  }

  // A reset discards what the peer has not read, so it gets time to read what stands before the cut.
  void cut(bool reset) {
    if (reset) {
      wait(20);
      peer_.reset_on_close();
    }
    gone_ = true;
  }

  Peer& peer_;
  const Turn& turn_;
  Framing framing_;
  std::vector<std::size_t> borders_;
  std::vector<Action> actions_;
  std::size_t next_ = 0, injected_ = 0;
  bool gone_ = false;
  Sent sent_;
};

std::size_t body_size(const Answer& answer, bool stream) {
  if (!stream) return answer.json.size();
  std::size_t size = 0;
  for (const Event& event : answer.events) size += event.bytes.size();
  return size;
}

}  // namespace

Sent send_plain(Peer& peer, int status, std::string_view content_type, const Headers& headers, std::string_view body) {
  std::string bytes = head(status, content_type, headers);
  bytes.append("content-length: ").append(std::to_string(body.size())).append("\r\n\r\n").append(body);
  Sent sent;
  sent.status = status;
  sent.first_ns = sent.last_ns = monotonic_ns();
  sent.bytes = body.size();
  sent.keep_alive = peer.write(bytes);
  if (!sent.keep_alive) sent.outcome = "client left";
  return sent;
}

Sent send_raw(Peer& peer, std::string_view bytes) {
  Sent sent;
  sent.status = 0;
  sent.first_ns = sent.last_ns = monotonic_ns();
  sent.bytes = bytes.size();
  sent.keep_alive = false;
  sent.outcome = peer.write(bytes) ? "cut" : "client left";
  return sent;
}

Sent send_answer(Peer& peer, const Turn& turn, const std::optional<Fault>& fault, const Answer& answer, bool stream,
                 std::uint64_t request_id) {
  Body body(peer, turn, fault, stream);
  std::string bytes = head(200, stream ? turn.content_type : "application/json", turn.headers);
  bytes.append("x-request-id: req_fake_").append(std::to_string(request_id)).append("\r\n");
  const Framing framing = stream ? turn.framing : Framing::kLength;
  if (framing == Framing::kChunked)
    bytes += "cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n";
  else if (framing == Framing::kClose)
    bytes += "connection: close\r\n\r\n";
  else
    bytes += "content-length: " + std::to_string(body_size(answer, stream) + body.injected()) + "\r\n\r\n";
  if (!peer.write(bytes)) return Sent::client_left();
  if (!stream) body.put(answer.json);
  for (const Event& event : answer.events) {
    if (!stream || body.gone()) break;
    if (event.delta && turn.delay_ms > 0) body.wait(turn.delay_ms);
    body.put(event.bytes);
  }
  return body.finish();
}

}  // namespace magi::fake
