// HTTP over libcurl: one transfer at a time, without blocking, connections kept warm between them.  The only files that
// know libcurl are this one's source and its tests' link line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/net/network.h"
#include "tools/magi-provider/body.h"
#include "tools/magi-provider/failure.h"

namespace magi::provider {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;  // "name: value"
  const Body* body = nullptr;        // none: GET; must outlive the transfer
  std::int64_t connect_timeout_ms = 10'000;
};

struct ResponseHead {
  std::int64_t status = 0;
  std::string content_type, location, date, retry_after, retry_after_ms, should_retry;
  std::string request_id, proxy_id;  // the server's own, and that of a proxy before it
  std::string turn_state;            // Codex's routing value
};

class TransferObserver {
 public:
  virtual ~TransferObserver() = default;
  virtual void on_head(const ResponseHead& head) = 0;
  virtual void on_bytes(std::string_view bytes) = 0;
  // Part of the request has left.
  virtual void on_sent() = 0;
};

class Transport {
 public:
  static Result<std::unique_ptr<Transport>> create(net::NetworkOptions options);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Ends a transfer that is still under way.  The observer hears of the new one from step() alone.
  void begin(const HttpRequest& request, TransferObserver& observer);
  // Does what can be done without waiting.
  void step();
  bool active() const { return observer_ != nullptr; }
  // How the last transfer failed; nothing where it did not.  Requires: !active().
  const std::optional<Failure>& failure() const { return failure_; }
  // Ends the transfer under way: with HTTP/2 its stream, else its connection.
  void abort();
  // Closes every connection: after a failure none is trusted.  Requires: !active().
  void forget_connections();

  // Waits until something can be done, one of `readable` is, the reader of `watched` is gone, or the time is over.
  void wait(std::span<const int> readable, int watched, std::int64_t timeout_ms);

 private:
  struct Handles;
  explicit Transport(std::unique_ptr<Handles> handles);
  void set_up(const HttpRequest& request);
  void set_headers(const HttpRequest& request);
  void set_body();
  void finish(int curl_code);
  void take_header(std::string_view line);

  static std::size_t read_body(char* buffer, std::size_t size, std::size_t count, void* self);
  static int seek_body(void* self, std::int64_t offset, int origin);
  static std::size_t write_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t write_header(char* bytes, std::size_t size, std::size_t count, void* self);

  std::unique_ptr<Handles> handles_;
  net::NetworkOptions options_;
  TransferObserver* observer_ = nullptr;
  const Body* body_ = nullptr;
  std::size_t sent_bytes_ = 0;
  ResponseHead head_;
  bool head_complete_ = false;
  std::string origin_;
  bool on_this_machine_ = false;
  std::optional<Failure> failure_;
};

}  // namespace magi::provider
