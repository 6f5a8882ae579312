// The records of one answer, in the order that a caller may rely on: calls and opaque items come out only once the
// answer is known to hold them whole, and never behind text that the model produced after them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/event/answers.h"

namespace magi::provider {

// A JSON string's source between its quotes, escapes untouched: text is copied from record to record, not decoded.
using RawText = std::string_view;

// A call whose arguments are valid JSON.
struct FinishedCall {
  std::string call_id, name;
  std::string arguments;  // RawText of the JSON text
};

class AnswerWriter {
 public:
  // Appends to `out`, which its owner writes; every record echoes `request_id`, which may be empty.
  AnswerWriter(std::string& out, std::string request_id) : out_(out), request_id_(std::move(request_id)) {}

  void text(RawText text);
  void reasoning(RawText text);
  // A tool call has begun to stream.
  void tool_progress(std::string_view call_id, std::string_view name);

  // Held back until text() or release(); an attempt that fails before leaves nothing of them.
  void hold_call(FinishedCall call);
  void hold_item(std::string_view provider, std::string_view item_json);
  void release();
  void drop_held() { held_.clear(); }
  // The newest held call; for an output limit that may have cut it.  Requires: last_held_is_call().
  FinishedCall take_last_call();
  bool last_held_is_call() const { return !held_.empty() && held_.back().is_call; }
  bool holds_call() const;

  template <class Record>
  void record(Record record) {
    record.request_id = request_id_;
    event::append_record(out_, record);
  }

  // A record of any type: `members` is JSON, each member behind a comma.
  void raw_record(std::string_view type, std::string_view members);

  // Text, progress of a call, a call or an item has been written: the answer can no longer be begun anew (R16).
  bool accepted() const { return accepted_; }
  bool wrote_text() const { return wrote_text_; }
  bool wrote_call() const { return wrote_call_; }
  const std::string& request_id() const { return request_id_; }

 private:
  struct Held {
    bool is_call;
    FinishedCall call;
    event::ProviderItem item;
  };
  void string_record(std::string_view type, RawText text);

  std::string& out_;
  std::string request_id_, text_head_;
  std::vector<Held> held_;
  bool accepted_ = false, wrote_text_ = false, wrote_call_ = false;
};

}  // namespace magi::provider
