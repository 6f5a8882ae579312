// libcurl inside the loop: transfers of any number at a time.  The one place that knows libcurl, with its source.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/net/network.h"
#include "tools/magi-mcp/loop.h"

namespace magi::mcp {

struct HttpHead {
  std::int64_t status = 0;
  std::string content_type, session_id, location, retry_after, date;
};

class Http {
 public:
  enum class Verb { kGet, kPost, kDelete };
  struct Request {
    Verb verb = Verb::kPost;
    std::string url, body;
    std::vector<std::string> headers;  // "Name: value"
    std::int64_t limit_ms = 0;         // of the whole transfer; 0: none
  };
  struct Observer {
    std::function<void(const HttpHead&)> on_head;
    // False ends the transfer.
    std::function<bool(std::string_view)> on_bytes;
    // Exactly once, unless it was aborted; the error where the transfer broke.
    std::function<void(std::optional<Error>)> on_end;
  };

  // Takes over the loop's waiting.  Requires: the loop outlives this, and has one of these at most.
  static Result<std::unique_ptr<Http>> create(Loop& loop, net::NetworkOptions network);
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  using Id = int;
  Id begin(Request request, Observer observer);
  void abort(Id id);
  // An observer is being called: nothing can be waited for.
  bool at_work() const { return at_work_; }

 private:
  struct Handles;
  struct Transfer;
  Http(Loop& loop, net::NetworkOptions network, std::unique_ptr<Handles> handles);
  void set_up(Transfer& transfer);
  void work();
  static std::size_t take_header(char* bytes, std::size_t size, std::size_t count, void* transfer);
  static std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* transfer);

  Loop& loop_;
  net::NetworkOptions network_;
  std::unique_ptr<Handles> handles_;
  std::map<Id, std::unique_ptr<Transfer>> transfers_;
  std::vector<std::unique_ptr<Transfer>> ended_;  // kept until libcurl is not at work
  std::vector<Id> beginning_;                     // to be given to libcurl when it is not at work
  bool at_work_ = false;
  Id last_ = 0;
};

}  // namespace magi::mcp
