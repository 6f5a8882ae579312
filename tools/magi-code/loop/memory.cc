#include "tools/magi-code/loop/memory.h"

#include "libcommon/base/utf8.h"
#include "libcommon/context/elision.h"
#include "libcommon/json/node.h"
#include "libcommon/json/writer.h"

namespace magi::code {
namespace {

bool is_long(std::string_view output) {
  return output.size() > context::kLongOutputCharacters && utf8::count(output) > context::kLongOutputCharacters;
}

void shorten(event::ToolResult& result) {
  std::string quoted, raw;
  json::append_quoted(quoted, result.output);
  const auto omitted = context::elide(raw, std::string_view(quoted).substr(1, quoted.size() - 2));
  if (!omitted) return;
  result.output.clear();
  json::append_unescaped(result.output, raw);
  result.omitted_chars = *omitted;
}

}  // namespace

template <class Record>
void Memory::add(const Record& record) {
  event::append_record(body_, record);
  ++items_;
}

void Memory::load(event::Conversation header, std::string body, std::int64_t items) {
  header_ = std::move(header);
  body_ = std::move(body);
  items_ = items;
}

void Memory::set_model(std::string provider, std::string model) {
  header_.provider = std::move(provider);
  header_.model = std::move(model);
}

void Memory::add_user(const event::User& user, const event::Raw& selection) {
  end_turn();
  if (!selection.empty()) add(event::ReasoningSelection{selection});
  add(user);
}

void Memory::add_assistant(const event::Assistant& assistant) { add(assistant); }

void Memory::add_result(const event::ToolResult& result) {
  const std::size_t offset = body_.size();
  add(result);
  if (is_long(result.output)) running_.push_back({offset, body_.size() - offset, result});
}

void Memory::add_answer(const std::vector<Segment>& segments, const std::vector<event::ToolResult>& results, std::string_view status,
                        std::string_view turn_id) {
  std::size_t called = 0, answered = 0;
  const auto close_group = [&] {
    for (; answered < called && answered < results.size(); ++answered) add_result(results[answered]);
  };
  for (const Segment& segment : segments) {
    if (const auto* call = std::get_if<event::ToolCall>(&segment)) {
      event::ToolCall kept = *call;
      kept.request_id.clear();
      kept.turn_id = turn_id;
      add(kept);
      ++called;
      continue;
    }
    close_group();
    if (const auto* text = std::get_if<TextSegment>(&segment)) {
      add(event::Assistant{text->text, std::string(status), std::string(turn_id)});
    } else {
      event::ProviderItem kept = std::get<event::ProviderItem>(segment);
      kept.request_id.clear();
      add(kept);
    }
  }
  close_group();
}

void Memory::end_turn() {
  if (running_.empty()) return;
  std::string kept = body_.substr(0, running_.front().offset);
  std::size_t at = running_.front().offset;
  for (LongResult& entry : running_) {
    kept.append(body_, at, entry.offset - at);
    shorten(entry.result);
    event::append_record(kept, entry.result);
    at = entry.offset + entry.size;
  }
  kept.append(body_, at);
  body_ = std::move(kept);
  running_.clear();
  hashed_header_.clear();
}

// The running digest over header and body.
const Sha256& Memory::hash(std::string_view header) const {
  if (hashed_header_ != header) {
    hash_ = Sha256();
    hash_.update(header);
    hashed_header_ = header;
    hashed_bytes_ = 0;
  }
  hash_.update(std::string_view(body_).substr(hashed_bytes_));
  hashed_bytes_ = body_.size();
  return hash_;
}

std::string Memory::request(const event::Request& request, std::string_view continuation) const {
  std::string header, tail;
  event::append_record(header, header_);
  std::int64_t items = items_;
  if (!continuation.empty()) {
    event::append_record(tail, event::User{std::string(continuation), {}, {}, {}, {}});
    ++items;
  }
  Sha256 digest = hash(header);
  digest.update(tail);
  event::append_record(tail, event::End{items, "sha256:" + digest.hex(), std::nullopt});
  std::string stream;
  event::append_record(stream, request);
  stream.reserve(stream.size() + header.size() + body_.size() + tail.size());
  return stream.append(header).append(body_).append(tail);
}

}  // namespace magi::code
