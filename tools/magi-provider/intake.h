// Standard input: bytes in, whole requests and cancellations out.  Records are mapped to the request's body as they
// arrive, so that little is left to do when the last one has come.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "libcommon/context/conversation_reader.h"
#include "libcommon/os/io.h"
#include "tools/magi-provider/request_mapper.h"

namespace magi::provider {

struct Incoming {
  enum class Kind {
    kRequest,
    kCancel,     // of a request that has arrived whole
    kWithdrawn,  // of the one that was arriving: it will not come
    kBad,
  };
  Kind kind;
  std::string request_id;                 // may be empty
  std::unique_ptr<RequestMapper> mapper;  // kRequest: finished
  Error error;                            // kBad: why it cannot be sent
};

class Intake {
 public:
  using NewMapper = std::function<std::unique_ptr<RequestMapper>()>;
  // `prompt`, unless empty, ends every conversation.
  Intake(context::Framing framing, std::string prompt, NewMapper new_mapper);

  // One read(2) of `fd`, which may block if nothing is there.
  Result<void> read(int fd);
  // No more will come: what has begun and needs no end is complete.  Call instead of read() where there is no input.
  void close();
  bool at_end() const { return at_end_; }

  std::deque<Incoming>& arrived() { return arrived_; }

 private:
  void take_line(std::string_view line);
  void take_record(const context::StreamRecord& record);
  void begin(const context::StreamRecord& record);
  void withdraw(std::string request_id);
  void complete();
  void refuse(Error error);
  void push(Incoming::Kind kind, std::string request_id, std::unique_ptr<RequestMapper> mapper = nullptr,
            Error error = {});

  context::Framing framing_;
  std::string prompt_;
  NewMapper new_mapper_;
  os::LineSplitter lines_;
  context::ConversationReader reader_;
  std::unique_ptr<RequestMapper> mapper_;  // of the conversation under way
  std::string request_id_;
  bool dropping_ = false;  // what is left of the conversation under way
  bool anything_came_ = false;
  bool at_end_ = false;
  std::deque<Incoming> arrived_;
};

}  // namespace magi::provider
