#include "libcommon/net/sse.h"

#include <cstring>

#include "libcommon/json/node.h"

namespace magi::net {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Offset of the first CR or LF, npos without one.  `may_have_cr`: false where the caller knows that there is none.
std::size_t find_line_end(std::string_view bytes, bool may_have_cr = true) {
  const void* lf = std::memchr(bytes.data(), '\n', bytes.size());
  const std::size_t limit = lf ? static_cast<std::size_t>(static_cast<const char*>(lf) - bytes.data()) : bytes.size();
  if (const void* cr = may_have_cr ? std::memchr(bytes.data(), '\r', limit) : nullptr)
    return static_cast<std::size_t>(static_cast<const char*>(cr) - bytes.data());
  return lf ? limit : std::string_view::npos;
}

}  // namespace

void SseParser::push(std::string_view bytes, SseSink& sink) {
  if (overflowed_ || bytes.empty()) return;
  if (partial_.empty()) {
    partial_.assign(bytes.substr(take_lines(bytes, sink)));
  } else {
    // Only what is new can hold the end of the pending line.
    const std::size_t end = find_line_end(bytes);
    if (end == std::string_view::npos) {
      partial_.append(bytes);
    } else {
      partial_.append(bytes.substr(0, end + 1));
      take_lines(partial_, sink);
      bytes.remove_prefix(end + 1);
      partial_.assign(bytes.substr(take_lines(bytes, sink)));
    }
  }
  if (partial_.size() > kMaxLineBytes || data_.size() > kMaxEventBytes) overflowed_ = true;
}

// Takes whole lines from the front and returns how many bytes that were.
std::size_t SseParser::take_lines(std::string_view bytes, SseSink& sink) {
  std::size_t at = 0;
  const bool has_cr = bytes.find('\r') != std::string_view::npos;
  while (!overflowed_ && at < bytes.size()) {
    if (skip_lf_) {
      skip_lf_ = false;
      if (bytes[at] == '\n') {
        ++at;
        continue;
      }
    }
    const std::size_t end = find_line_end(bytes.substr(at), has_cr);
    if (end == std::string_view::npos) break;
    const std::string_view line = bytes.substr(at, end);
    skip_lf_ = bytes[at + end] == '\r';
    at += end + 1;
    take_line(line, sink);
  }
  return at;
}

void SseParser::take_line(std::string_view line, SseSink& sink) {
  if (at_start_ && line.substr(0, kByteOrderMark.size()) == kByteOrderMark) line.remove_prefix(kByteOrderMark.size());
  at_start_ = false;
  if (line.empty()) return dispatch(sink, false);
  const std::size_t colon = line.find(':');
  if (colon == 0) return;  // a comment
  if (colon == std::string_view::npos) return take_field(line, {});
  std::string_view value = line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  take_field(line.substr(0, colon), value);
}

void SseParser::take_field(std::string_view field, std::string_view value) {
  if (field == "data") {
    append_data(value);
  } else if (field == "event") {
    name_ = value;
  } else if (field == "id") {
    if (value.find('\0') == std::string_view::npos) last_id_ = value;
  } else if (field == "error" && !value.empty()) {
    name_ = field;
    append_data(value);
  }
}

void SseParser::append_data(std::string_view value) {
  if (data_.size() + value.size() > kMaxEventBytes) {
    overflowed_ = true;
    return;
  }
  data_.reserve(data_.size() + value.size() + 1 + json::kPadding);
  if (has_data_) data_ += '\n';
  data_.append(value);
  has_data_ = true;
}

void SseParser::dispatch(SseSink& sink, bool torn) {
  if (!data_.empty()) {
    data_.reserve(data_.size() + json::kPadding);
    sink.on_sse({name_.empty() ? std::string_view("message") : std::string_view(name_), data_, torn});
  }
  name_.clear();
  data_.clear();
  has_data_ = false;
}

void SseParser::finish(SseSink& sink) {
  if (overflowed_) return;
  if (!partial_.empty()) {
    const std::string line = std::move(partial_);
    partial_.clear();
    take_line(line, sink);
  }
  dispatch(sink, true);
}

}  // namespace magi::net
