// One response, from its head to what it means: a stream of events, a document in place of one, or an error.  Pure but
// for the clock that its caller hands in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/net/sse.h"
#include "tools/magi-provider/stream_reader.h"
#include "tools/magi-provider/transport.h"

namespace magi::provider {

class Exchange final : public TransferObserver {
 public:
  // Requires: the reader outlives the exchange.
  explicit Exchange(StreamReader& reader) : reader_(reader) {}

  void on_head(const ResponseHead& head) override {
    head_ = head;
    activity_ = true;
  }
  void on_bytes(std::string_view bytes) override;
  void on_sent() override { activity_ = true; }

  // The transfer is over; `failure` says how it broke, if it did.
  void finish(const std::optional<Failure>& failure);

  // Set as soon as the answer is known, which may be before the transfer ends.
  const std::optional<Outcome>& outcome() const { return outcome_; }
  bool has_head() const { return head_.status != 0; }
  const ResponseHead& head() const { return head_; }
  std::string request_id() const { return head_.request_id.empty() ? head_.proxy_id : head_.request_id; }
  std::uint64_t bytes() const { return bytes_; }
  // Whether something has moved since the last call.
  bool take_activity() { return std::exchange(activity_, false); }

 private:
  enum class Form { kUnknown, kStream, kDocument, kIgnored };
  bool is_success() const { return head_.status >= 200 && head_.status < 300; }
  void choose_form();
  void collect(std::string_view bytes, std::size_t limit);
  void fail_by_status();
  void settle();

  StreamReader& reader_;
  ResponseHead head_;
  SseParser sse_;
  Form form_ = Form::kUnknown;
  std::string collected_;  // an error, a document, or bytes that do not tell yet which
  std::optional<Outcome> outcome_;
  std::uint64_t bytes_ = 0;
  bool activity_ = false;
};

}  // namespace magi::provider
