#include "libcommon/context/live_conversation.h"

#include <algorithm>
#include <utility>

#include "libcommon/context/elision.h"
#include "libcommon/event/names.h"
#include "libcommon/json/node.h"

namespace magi::context {
namespace {

namespace name = event::name;

bool begins_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// "type" is the first key of every record.
std::string opening(std::string_view type) { return "{\"type\":\"" + std::string(type) + "\""; }

// Cuts the first line off `rest`, without its LF.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

// A tool_result record as it is once it is historical.
std::string settled_result(std::string_view line, json::Parser& parser) {
  std::string same(line);
  if (line.size() <= kLongOutputCharacters) return same;
  const auto root = parser.parse(line);
  auto result = root ? event::parse_record<event::ToolResult>(*root) : Error{};
  if (!result) return same;
  const json::Node output = root->find("output");
  std::string raw;
  const auto omitted = elide(raw, output.raw_string());
  if (!omitted) return same;
  result->output.clear();
  json::append_unescaped(result->output, raw);
  result->omitted_chars = *omitted;
  std::string record;
  event::append_record(record, *result);
  record.pop_back();
  return record;
}

}  // namespace

// The session lines of this process, one behind the other.
class LiveConversation::Lines : public LineSource {
 public:
  LineRef append(std::string_view line) {
    const std::uint64_t offset = size();
    text_.append(line) += '\n';
    return {offset, ++number_, line};
  }
  void keep_from(std::uint64_t offset) {
    text_.erase(0, offset - dropped_);
    dropped_ = offset;
  }
  std::uint64_t size() const { return dropped_ + text_.size(); }
  Result<std::string_view> fetch(std::uint64_t offset, std::size_t size) override {
    return std::string_view(text_).substr(offset - dropped_, size);
  }

 private:
  std::string text_;
  std::uint64_t number_ = 0, dropped_ = 0;
};

LiveConversation::LiveConversation(std::string session_id)
    : session_id_(std::move(session_id)), lines_(std::make_unique<Lines>()) {
  loaded_header_.session_id = session_id_;
}
LiveConversation::LiveConversation(LiveConversation&&) noexcept = default;
LiveConversation& LiveConversation::operator=(LiveConversation&&) noexcept = default;
LiveConversation::~LiveConversation() = default;

Result<void> LiveConversation::load(std::string stream) {
  json::Parser parser;
  std::string_view rest = stream;
  const std::string_view first = take_line(rest);
  MAGI_TRY(const json::Node header, parser.parse(first));
  if (event::record_type(header) != name::kConversation)
    return make_error(ErrorCode::kBadRecord, "a conversation that does not begin with its header");
  MAGI_TRY(loaded_header_, event::parse_record<event::Conversation>(header));
  if (loaded_header_.session_id.empty()) loaded_header_.session_id = session_id_;
  if (loaded_header_.generation > 0) index_.begin_at_generation(loaded_header_.generation);
  const std::string end = opening(name::kEnd), user = opening(name::kUser), result = opening(name::kToolResult);
  const char* const begin = rest.data();
  while (!rest.empty()) {
    const auto offset = static_cast<std::size_t>(rest.data() - begin);
    const std::string_view line = take_line(rest);
    if (begins_with(line, end)) {
      if (!rest.empty()) return make_error(ErrorCode::kBadRecord, "a record behind the end of the conversation");
      const auto header_bytes = static_cast<std::size_t>(begin - stream.data());
      stream.resize(header_bytes + offset);
      loaded_ = std::move(stream);
      loaded_.erase(0, header_bytes);
      return {};
    }
    ++loaded_records_;
    if (begins_with(line, user)) {
      MAGI_TRY(const json::Node record, parser.parse(line));
      const std::string turn = record.find("turn_id").as_string().value_or("");
      loaded_turns_.insert(turn);
      if (turn.empty() || turn != open_turn_) {
        open_turn_ = turn;
        open_from_ = offset;
        open_results_ = false;
      }
    }
    open_results_ |= line.size() > kLongOutputCharacters && begins_with(line, result);
  }
  return make_error(ErrorCode::kBadRecord, "the conversation is truncated: it has no end record");
}

// Whether a replay of the whole session would match the event with what stands in the loaded part of it.
bool LiveConversation::reaches_into_loaded(const event::EventHead& event, const std::string& turn) {
  if (loaded_records_ == 0 || resets_ != index_.resets()) return false;
  const std::string_view type = event.event_type.raw_string();
  const bool is_new = new_turns_.count(turn), is_open = turn == open_turn_ && !turn.empty();
  if (type == name::kUserInput) {
    if (!loaded_turns_.count(turn)) new_turns_.insert(turn);
    return loaded_turns_.count(turn) && !is_open;
  }
  if (type == name::kToolCall) return !is_new;
  // The text of a skill may stand there already.
  if (type == name::kToolResult)
    return !is_new || !index_.has_open_call(event.payload) || !skill_name(event.payload).empty();
  if (type == name::kToolResultAssessment) return !index_.has_protected_result(event.payload);
  // A text that was stored twice is shown once.
  if (type == name::kTurnStatus) return !is_new && (!is_open || event.payload.find("partial_text"));
  return (type == name::kAssistantOutput || type == name::kProviderResponseItem) && !is_new && !is_open;
}

Result<void> LiveConversation::add_line(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  line.remove_prefix(std::min(line.find('{'), line.size()));
  json::Parser parser;
  const LineRef stored = lines_->append(line);
  MAGI_TRY(const json::Node root, parser.parse(line));
  MAGI_TRY(const event::EventHead event, event::parse_event_head(root));
  const std::string turn = event.payload.find("turn_id").as_string().value_or("");
  if (reaches_into_loaded(event, turn)) must_reread_ = true;
  // The nodes point into the parser's copy of the line.
  MAGI_CHECK(index_.add(event, {stored.offset, stored.number, root.raw()}));
  const std::string_view type = event.event_type.raw_string();
  const bool next_turn = type == name::kUserInput && (turn.empty() || turn != open_turn_);
  const bool turn_ended = type == name::kTurnStatus && turn == open_turn_ &&
                          ends_turn(event.payload.find("status").as_string().value_or(""));
  if (open_results_ && (next_turn || turn_ended)) settle_loaded();
  if (index_.resets() != resets_) {
    resets_ = index_.resets();
    lines_->keep_from(stored.offset);
    loaded_.clear();
    loaded_records_ = 0;
    open_results_ = false;
    hashed_body_ = 0;
    header_.clear();
    must_reread_ = false;
  }
  return {};
}

// The results of the loaded turn have become historical.
void LiveConversation::settle_loaded() {
  json::Parser parser;
  const std::string result = opening(name::kToolResult);
  std::string settled;
  std::string_view rest = std::string_view(loaded_).substr(open_from_);
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (begins_with(line, result))
      settled += settled_result(line, parser);
    else
      settled += line;
    settled += '\n';
  }
  loaded_.replace(open_from_, std::string::npos, settled);
  open_results_ = false;
  header_.clear();
}

Result<void> LiveConversation::render_from(std::size_t item) {
  StreamRenderer renderer(index_, *lines_);
  while (item < index_.items().size()) {
    Unit unit{item, item, body_.size(), renderer.records()};
    MAGI_TRY(item, renderer.append(item, body_));
    unit.last_item = item;
    unit.records = renderer.records() - unit.records;
    units_.push_back(unit);
  }
  return {};
}

// Renders what has changed, and starts the digest anew where that had been digested.
Result<void> LiveConversation::bring_up_to_date() {
  const std::size_t dirty = index_.dirty_from();
  if (dirty >= index_.items().size() && (units_.empty() || units_.back().last_item <= dirty)) return {};
  std::size_t keep = body_.size();
  while (!units_.empty() && units_.back().last_item > dirty) {
    keep = units_.back().offset;
    units_.pop_back();
  }
  if (index_.items().empty() || dirty == 0) units_.clear(), keep = 0;
  const std::string before = body_.substr(std::min(keep, hashed_body_), hashed_body_ - std::min(keep, hashed_body_));
  body_.resize(keep);
  MAGI_CHECK(render_from(units_.empty() ? 0 : units_.back().last_item));
  index_.mark_clean();
  if (!before.empty() && body_.compare(keep, before.size(), before) != 0) header_.clear();
  return {};
}

std::string LiveConversation::header() const {
  event::Conversation header = loaded_header_;
  if (resets_) header.generation = index_.generation();
  if (!index_.provider().empty()) header.provider = index_.provider();
  if (!index_.model().empty()) header.model = index_.model();
  std::string record;
  event::append_record(record, header);
  return record;
}

Result<Sha256> LiveConversation::running_digest() {
  MAGI_CHECK(bring_up_to_date());
  if (std::string record = header(); record != header_) {
    header_ = std::move(record);
    hash_ = Sha256();
    hash_.update(header_);
    hash_.update(loaded_);
    hashed_body_ = 0;
  }
  hash_.update(std::string_view(body_).substr(hashed_body_));
  hashed_body_ = body_.size();
  return hash_;
}

Result<std::string> LiveConversation::digest() {
  MAGI_TRY(const Sha256 digest, running_digest());
  return "sha256:" + digest.hex();
}

Result<std::int64_t> LiveConversation::records() {
  MAGI_CHECK(bring_up_to_date());
  std::int64_t records = loaded_records_;
  for (const Unit& unit : units_) records += unit.records;
  return records;
}

Result<std::size_t> LiveConversation::size_bytes() {
  MAGI_CHECK(bring_up_to_date());
  return loaded_.size() + body_.size();
}

Result<void> LiveConversation::append_stream(std::string& out, std::string_view extra, std::int64_t extra_records,
                                             StreamDigest with) {
  event::End end;
  MAGI_TRY(end.items, records());
  end.items += extra_records;
  if (with == StreamDigest::kSha256) {
    MAGI_TRY(Sha256 digest, running_digest());
    digest.update(extra);
    end.digest = "sha256:" + digest.hex();
  }
  const std::string first = header();
  out.reserve(out.size() + first.size() + loaded_.size() + body_.size() + extra.size() + 256);
  out.append(first).append(loaded_).append(body_).append(extra);
  event::append_record(out, end);
  return {};
}

}  // namespace magi::context
