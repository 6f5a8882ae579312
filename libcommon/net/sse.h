// Server-sent events: bytes in, events out.  The WHATWG algorithm with two leniencies that model servers need: a bare
// `error:` field counts as data of an event named "error", and what is pending at the end of the input is handed out.
// Pure; reading may be cut anywhere, and the events are the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace magi::net {

struct SseEvent {
  std::string_view name;  // "message" unless the stream says otherwise
  std::string_view data;  // lines joined with LF; json::kPadding readable bytes stand behind it
  bool torn = false;      // the input ended before the blank line that dispatches it
};

class SseSink {
 public:
  virtual void on_sse(const SseEvent& event) = 0;

 protected:
  ~SseSink() = default;
};

class SseParser {
 public:
  // Lines carry images and encrypted reasoning: hundreds of KB are normal.
  static constexpr std::size_t kMaxLineBytes = 16u << 20;
  static constexpr std::size_t kMaxEventBytes = 32u << 20;

  // Calls the sink for each event that `bytes` completes.
  void push(std::string_view bytes, SseSink& sink);
  // The end of the input: a line without its end counts as one, then a pending event is handed out as torn.
  void finish(SseSink& sink);

  // A line or an event is over its limit.  Nothing is taken from then on.
  bool overflowed() const { return overflowed_; }

  // What the stream called its last event, for going on behind it; empty: nothing.
  const std::string& last_id() const { return last_id_; }

  // Two parsers in one state make the same of what follows.
  bool operator==(const SseParser&) const = default;

 private:
  std::size_t take_lines(std::string_view bytes, SseSink& sink);
  void take_line(std::string_view line, SseSink& sink);
  void take_field(std::string_view field, std::string_view value);
  void append_data(std::string_view value);
  void dispatch(SseSink& sink, bool torn);

  std::string partial_;  // bytes of a line whose end has not come
  std::string name_, last_id_;
  std::string data_;
  bool has_data_ = false;
  bool at_start_ = true;  // a byte order mark may come
  bool skip_lf_ = false;  // the last line ended with a CR, which an LF may follow
  bool overflowed_ = false;
};

}  // namespace magi::net
