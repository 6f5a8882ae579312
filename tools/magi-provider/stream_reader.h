// What the readers of all wire formats share: from server-sent events to JSON values, errors inside a stream, the ids
// and arguments of tool calls, and how an answer ends.  Pure: bytes in, records out, outcome at the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "libcommon/event/answers.h"
#include "libcommon/json/node.h"
#include "libcommon/net/sse.h"
#include "tools/magi-provider/answer_writer.h"
#include "tools/magi-provider/failure.h"

namespace magi::provider {

using net::SseEvent;
using net::SseParser;
using net::SseSink;

// `stop_reason` of the done record.
namespace stop {
inline constexpr std::string_view kEndTurn = "end_turn";      // the model has finished
inline constexpr std::string_view kToolUse = "tool_use";      // it waits for the results of its calls
inline constexpr std::string_view kMaxTokens = "max_tokens";  // cut by the output limit
inline constexpr std::string_view kRefusal = "refusal";       // the text says why it will not answer
inline constexpr std::string_view kPause = "pause_turn";      // send the conversation again as it is
}  // namespace stop

// What a request tells the reader of its answer.
struct ReaderContext {
  std::string provider;                                         // of provider_item records
  std::string origin;                                           // base URL, for items that only this server understands
  std::unordered_set<std::string> call_ids;                     // ids that the conversation has used
  std::vector<std::pair<std::string, std::string>> tool_names;  // as sent -> as defined, where they differ
};

struct Outcome {
  std::optional<Failure> failure;  // nothing: done
  std::string stop_reason;
};

class StreamReader : public SseSink {
 public:
  StreamReader(AnswerWriter& out, ReaderContext context) : out_(out), context_(std::move(context)) {}
  virtual ~StreamReader() = default;

  void on_sse(const SseEvent& event) final;
  // A whole JSON body that came in place of a stream.
  void read_document(std::string_view body);
  // The body is over.  An outcome exists afterwards.
  void end_of_input();

  const std::optional<Outcome>& outcome() const { return outcome_; }
  // All that matters has come; what may follow is worth a short wait only.
  bool winding_down() const { return winding_down_; }
  const std::string& reported_model() const { return reported_model_; }
  const std::optional<event::Usage>& usage() const { return usage_; }
  // Events whose data was no JSON, and was passed over.
  std::int64_t skipped_events() const { return skipped_events_; }

 protected:
  virtual void on_value(const json::Node& value) = 0;
  virtual void on_document(const json::Node& value) = 0;
  virtual void on_done_marker() {}
  // The body ended without a terminal event.
  virtual void on_end() { fail_cut(); }
  // The text of an event that differs from the last such one in its text and its sequence number alone.
  virtual void on_same_delta(RawText text) { out_.text(text); }

  // To be called for an event that does nothing but add text, whatever else it does being the same when repeated.
  void add_delta(RawText text) {
    out_.text(text);
    delta_ = text;
  }

  // An id that no other call of the conversation has, from the server's, which may be empty.
  std::string claim_call_id(std::string_view upstream_id);
  // Holds the call back, or remembers that its arguments are no JSON.  `arguments` is RawText; empty means {}.
  void finish_call(std::string call_id, std::string_view name, std::string arguments);
  void progress(const std::string& call_id, std::string_view name) { out_.tool_progress(call_id, original_name(name)); }
  // The output limit was hit: the newest held call may lack an end that its JSON does not show.
  void distrust_last_call();

  // Ends the answer.  With calls the reason becomes kToolUse, unless it is kMaxTokens.
  void complete(std::string_view reason);
  void fail(Failure failure);
  void fail(FailureKind kind, std::string message) { fail(Failure{kind, std::move(message), {}, {}, {}, {}}); }
  void fail_cut();

  void note_model(const json::Node& model);
  event::Usage& usage_slot() { return usage_ ? *usage_ : usage_.emplace(); }

  AnswerWriter& out_;
  ReaderContext context_;
  bool winding_down_ = false;

 private:
  // Nearly all events of a long stream are deltas that look alike: their JSON need not be parsed again and again.
  struct DeltaShape {
    std::string event_name, head, middle, tail;  // the source around a sequence number, if any, and the text
    bool has_number = false;
  };
  bool take_same_delta(const SseEvent& event, std::string_view data);
  void learn_delta(const SseEvent& event, std::string_view data);
  bool take_json(std::string_view data);
  void take_value(std::string_view event_name, const json::Node& value);
  std::string original_name(std::string_view name) const;

  json::Parser parser_;
  json::Parser arguments_parser_;
  std::optional<Outcome> outcome_;
  std::optional<event::Usage> usage_;
  std::string reported_model_;
  std::string event_name_;
  RawText delta_;
  std::optional<DeltaShape> delta_shape_;
  std::int64_t skipped_events_ = 0;
  std::string broken_call_;  // name of a call whose arguments cannot be used
};

// Raw text of a string member; empty where there is none.  Valid while the node is.
RawText raw_member(const json::Node& object, std::string_view key);
// A count of tokens; nothing where the number cannot be one.
std::optional<std::int64_t> tokens_of(const json::Node& count);
// The text as the source of a JSON string, without the quotes.
std::string raw_from_text(std::string_view text);

}  // namespace magi::provider
