// magi-provider --serve as a process, and servers that do no more than a test needs.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "libcommon/os/child.h"
#include "libcommon/os/fd.h"

namespace magi::provider {

class Served {
 public:
  // `arguments` beside --serve; `environment` beside a home of its own.
  Served(std::vector<std::string> arguments, std::vector<std::string> environment = {});
  ~Served();

  void write(std::string_view text);
  // Asks for an answer to "hi".
  void ask(std::string_view request_id);
  void cancel(std::string_view request_id);
  // The next record of a type, or nothing within 10 s; `last_ns` is when its last byte had come.
  std::optional<std::string> next(std::string_view type);
  std::int64_t last_ns() const { return last_ns_; }
  // Closes its standard input: true when it ended within the time.
  bool ends_within(int timeout_ms);

 private:
  std::string home_;
  os::Child child_;
  os::Fd to_, from_;
  std::string pending_;
  std::int64_t last_ns_ = 0;
};

// Listens on 127.0.0.1.  Each connection is read up to the end of a request's head, then gets `answer`, and stays open.
class RawServer {
 public:
  enum class Kind {
    kAnswering,
    kSilent,       // accepts connections and never reads
    kUnreachable,  // its queue is full: nobody gets a connection
  };
  explicit RawServer(Kind kind, std::string answer = {});
  ~RawServer();
  std::string url(std::string_view scheme = "http") const;

 private:
  void run();

  os::Fd listener_;
  std::vector<os::Fd> fillers_;
  int port_ = 0;
  std::string answer_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// tests/fake as a process, with its script; the time stamps of its log are those of CLOCK_MONOTONIC.
class FakeServer {
 public:
  explicit FakeServer(std::string_view script);
  ~FakeServer();
  std::string url() const { return url_; }
  // `t_first` of the Nth answer (from 0), once it is written; 0 if it never is.
  std::int64_t first_byte_ns(std::size_t n) const;

 private:
  std::string folder_, url_;
  os::Child child_;
};

}  // namespace magi::provider
