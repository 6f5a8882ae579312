// The request for a summary: the session's replay as it is, without tools, under the instructions of the prompt
// (requirement C2).  The stream is taken in record by record and counted; what is larger than the model may be sent is
// counted on but not kept, so that a conversation of any size costs no more memory than one that fits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/context/conversation_reader.h"
#include "libcommon/tokens/counter.h"

namespace magi::compact {

struct RequestText {
  std::string session_id;
  std::string prompt;  // the instructions
  std::string ask;     // the last input: what to do now, recorded evidence, the user's own instructions
};

class SummaryRequest {
 public:
  // `limit`: tokens that the request may have.
  SummaryRequest(const tokens::Counter& counter, std::int64_t limit) : counter_(counter), limit_(limit) {}

  // A line of magi-replay's output, without LF.
  Result<void> take(std::string_view line);
  // After the last one.  Error kBadRecord: the stream was cut.
  Result<void> finish();
  // What is said besides the conversation.
  void complete(RequestText text);

  // Tokens of the conversation alone, and of the whole request.
  std::int64_t conversation_tokens() const { return conversation_tokens_; }
  std::int64_t request_tokens() const { return conversation_tokens_ + fixed_tokens_; }
  bool fits() const { return request_tokens() <= limit_; }
  // Something stands in it that no summary covers yet.
  bool has_news() const { return has_news_; }
  std::string_view method() const { return counter_.method(); }
  // `request` to `end`.  Requires: complete(), and fits().
  std::string stream() const;

  std::int64_t tokens_of(std::string_view text) const;

 private:
  const tokens::Counter& counter_;
  std::int64_t limit_, conversation_tokens_ = 0, fixed_tokens_ = 0;
  RequestText text_;
  bool has_news_ = false;
  context::ConversationReader reader_{context::Framing::kSingle};
  std::string records_;  // without the stream's end
};

}  // namespace magi::compact
