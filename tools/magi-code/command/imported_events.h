// A conversation stream told as the events of a new session.
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/context/conversation_reader.h"
#include "libcommon/session/draft.h"

namespace magi::code {

class ImportedEvents {
 public:
  struct Source {
    std::string name, sha256;  // of the file that the stream was made of
    std::int64_t bytes = 0;
  };
  // `timestamp`, RFC 3339, and `cwd` go into every envelope.
  ImportedEvents(session::Draft& draft, Source source, std::string timestamp, std::string cwd);

  Result<void> add(const context::StreamRecord& record);
  // Ends the last turn.
  Result<void> finish();

  std::int64_t prompts() const { return prompts_; }
  std::int64_t events() const { return events_; }

 private:
  template <class Payload>
  Result<void> store(Payload payload);
  Result<void> begin_turn(const std::string& turn_id);
  Result<void> end_turn();
  Result<void> add_summary(const json::Node& root);
  Result<void> add_user(const json::Node& root);
  Result<void> add_assistant(const json::Node& root);
  Result<void> add_call(const json::Node& root);
  Result<void> add_result(const json::Node& root);
  Result<void> add_provider_item(const json::Node& root);

  session::Draft& draft_;
  Source source_;
  std::string timestamp_, cwd_, turn_id_;
  std::int64_t prompts_ = 0, events_ = 0, turns_ = 0;
};

}  // namespace magi::code
