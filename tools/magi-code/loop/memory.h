// The conversation as the model knows it: the stream lines between `conversation` and `end`, kept as text so that a
// request costs a copy.  It starts from what magi-replay wrote and grows by the records that this process has made
// durable, in the form in which a replay would give them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/digest/sha256.h"
#include "libcommon/event/stream.h"
#include "tools/magi-code/loop/answer.h"

namespace magi::code {

class Memory {
 public:
  explicit Memory(event::Conversation header) : header_(std::move(header)) {}

  // Takes over a replayed body.  Requires: nothing has been added.
  void load(event::Conversation header, std::string body, std::int64_t items);
  void set_model(std::string provider, std::string model);

  // `selection` (reasoning) stands immediately before the input; empty: none.  Begins a new turn's worth of results.
  void add_user(const event::User& user, const event::Raw& selection = {});
  void add_assistant(const event::Assistant& assistant);
  // An answer with its results: each group of calls is followed by its results, in call order.
  void add_answer(const std::vector<Segment>& segments, const std::vector<event::ToolResult>& results, std::string_view status,
                  std::string_view turn_id);

  // From now on the results of the running turn are historical: long ones are cut as a replay would cut them (R4).
  void end_turn();

  // The whole request.  `continuation` is a last user text that is only sent, never kept (R17); empty: none.
  std::string request(const event::Request& request, std::string_view continuation = {}) const;
  std::size_t size_bytes() const { return body_.size(); }
  bool empty() const { return items_ == 0; }

 private:
  struct LongResult {
    std::size_t offset, size;  // its line within body_
    event::ToolResult result;
  };
  template <class Record>
  void add(const Record& record);
  void add_result(const event::ToolResult& result);
  const Sha256& hash(std::string_view header) const;

  event::Conversation header_;
  std::string body_;
  std::int64_t items_ = 0;
  // The digest of header and body so far, so that a request costs the hashing of what is new.
  mutable Sha256 hash_;
  mutable std::string hashed_header_;
  mutable std::size_t hashed_bytes_ = 0;
  std::vector<LongResult> running_;  // of the running turn, in order
};

}  // namespace magi::code
