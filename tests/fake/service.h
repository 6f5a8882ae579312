// What the server does with one HTTP request: log it, choose the turn that answers it, send that, log what was sent.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "libcommon/base/result.h"
#include "tests/fake/peer.h"
#include "tests/fake/script.h"
#include "tests/fake/sender.h"

namespace magi::fake {

struct Request {
  std::string method, target;
  Headers headers;
  std::string body;
  std::uint64_t connection = 0;
  std::int64_t head_ns = 0, body_ns = 0;  // CLOCK_MONOTONIC when headers and body had come
};

// What answers the requests of a server, on the threads of all its connections at once.
class Handler {
 public:
  virtual ~Handler() = default;
  // False: the connection is to be closed.
  virtual bool answer(const Request& request, Peer& peer) = 0;
};

// Appends whole lines to a file; each is one write, so that a killed server leaves no half line but the last.
class Log {
 public:
  Log() = default;
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  Result<void> open(const std::string& path);
  void line(std::string text);

 private:
  int fd_ = -1;
  std::mutex mutex_;
};

class Service : public Handler {
 public:
  Service(ScriptFile& script, Log& log, std::size_t max_body_bytes)
      : script_(script), log_(log), max_body_bytes_(max_body_bytes) {}

  bool answer(const Request& request, Peer& peer) override;

 private:
  Sent dispatch(const Request& request, Peer& peer, std::uint64_t id, std::string& note);
  Sent play(const Request& request, Api api, const json::Node& body, const Report& report, Peer& peer, std::uint64_t id,
            std::string& note);
  void log_request(const Request& request, std::uint64_t id, const Report* report, bool is_json);
  void log_response(std::uint64_t id, const Sent& sent, const std::string& note);

  ScriptFile& script_;
  Log& log_;
  std::size_t max_body_bytes_;
  std::atomic<std::uint64_t> requests_{0}, turns_asked_{0};
};

}  // namespace magi::fake
