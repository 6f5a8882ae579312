// The way to one server: messages out, messages in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"
#include "tools/magi-mcp/loop.h"

namespace magi::mcp {

// The longest message that is read: an image of a tool, or a result that is cut later.
inline constexpr std::size_t kLongestMessage = 32u << 20;

class Channel {
 public:
  struct Handlers {
    // One message; the text is valid during the call only.
    std::function<void(std::string_view json)> on_message;
    // A request of ours can have no answer; the channel goes on.
    std::function<void(std::int64_t id, Error why)> on_failed;
    // Once: the channel is of no use any more.
    std::function<void(Error why)> on_closed;
    // What a person who waits may want to know.
    std::function<void(std::string text)> on_note;
  };
  virtual ~Channel() = default;

  // `id`: of a request; 0 for anything else.  Never blocks.
  virtual void send(std::string json, std::int64_t id) = 0;
  // The answer to `id` is not waited for any more.
  virtual void forget(std::int64_t id) = 0;
  // The handshake is over.
  virtual void opened(std::string_view protocol_version) = 0;
  // Says that nothing more comes, without blocking: a server that is asked to end may take the time of the others.
  virtual void hang_up() = 0;
  // Ends it in good order, blocking for a moment at most.  No handler is called any more.
  virtual void close() = 0;
};

// A program, spoken to in lines over its standard streams.
struct ProgramSpec {
  std::string command;  // searched in the PATH of `environment` where it has no '/'
  std::vector<std::string> args;
  std::vector<std::string> environment;  // the whole of it
  std::string folder;
};
Result<std::unique_ptr<Channel>> start_program(Loop& loop, const ProgramSpec& spec, Channel::Handlers handlers);

}  // namespace magi::mcp
