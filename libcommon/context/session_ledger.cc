#include "libcommon/context/session_ledger.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "libcommon/base/utf8.h"
#include "libcommon/event/checkpoint.h"
#include "libcommon/event/names.h"
#include "libcommon/os/disk.h"
#include "libcommon/os/io.h"
#include "libcommon/session/each_event.h"
#include "libcommon/session/facts.h"

namespace magi::context {
namespace {

namespace name = event::name;

constexpr std::size_t kBlockBytes = 1u << 20;
constexpr std::size_t kMaxChildren = 10'000, kMaxInstructions = 1'000;

// Kinds that say nothing here are passed over by the first bytes of their line, unparsed: they are the bulk.
bool is_of_interest(std::string_view type) {
  static constexpr std::string_view kKinds[] = {
      name::kToolCall,     name::kToolResult,      name::kCompaction,
      name::kUserInput,    name::kSessionTitle,    name::kSessionPreferences,
      name::kSessionUsage, name::kSubagentSession, name::kSubdirInstructionLoad};
  return std::find(std::begin(kKinds), std::end(kKinds), type) != std::end(kKinds);
}

// The type of a line as we write it; nothing where the line begins otherwise.
std::optional<std::string_view> leading_type(std::string_view line) {
  constexpr std::string_view kOpening = R"({"event_type":")";
  if (!line.starts_with(kOpening)) return std::nullopt;
  line.remove_prefix(kOpening.size());
  const std::size_t quote = line.substr(0, 64).find('"');
  if (quote == std::string_view::npos) return std::nullopt;
  return line.substr(0, quote);
}

std::string text_of(const json::Node& object, std::string_view key) {
  return object.find(key).as_string().value_or("");
}

void add_tokens(std::int64_t& sum, const json::Node& payload, std::string_view key) {
  const std::int64_t value = payload.find(key).as_int().value_or(0);
  if (value > 0 && sum <= std::numeric_limits<std::int64_t>::max() - value) sum += value;
}

void take(std::string& field, std::string text) {
  if (!text.empty()) field = std::move(text);
}

std::string clipped_prompt(std::string text) {
  text.resize(utf8::prefix_bytes(text, session::kPromptCharacters));
  return text;
}

}  // namespace

CarriedUsage& CarriedUsage::operator+=(const CarriedUsage& more) {
  requests += more.requests;
  input_tokens += more.input_tokens;
  cached_tokens += more.cached_tokens;
  cache_write_tokens += more.cache_write_tokens;
  output_tokens += more.output_tokens;
  reasoning_tokens += more.reasoning_tokens;
  return *this;
}

void SessionLedger::add_line(std::string_view line) {
  const auto type = leading_type(line);
  const bool has_cwd = !cwd_.empty();
  if (type && has_cwd && !is_of_interest(*type)) return;
  if (type && has_cwd && *type == name::kUserInput && !carried_.first_prompt.empty()) return;
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const auto root = parser_.parse_padded(line);
  const auto event = root ? event::parse_event_head(*root) : Result<event::EventHead>(root.error());
  if (!event) return skip_line();
  if (!has_cwd) cwd_ = text_of(*root, "cwd");
  add_event(event->event_type.raw_string(), *event);
}

void SessionLedger::skip_line() { effects_.doubt("a line of the session cannot be read"); }

void SessionLedger::add_event(std::string_view type, const event::EventHead& event) {
  const json::Node& payload = event.payload;
  if (type == name::kToolResult) return add_result(payload);
  if (type == name::kToolCall) {
    open_calls_.insert(text_of(payload, "call_id"));
  } else if (type == name::kCompaction) {
    add_checkpoint(payload);
  } else if (type == name::kUserInput) {
    if (carried_.first_prompt.empty()) carried_.first_prompt = clipped_prompt(text_of(payload, "text"));
  } else if (type == name::kSessionTitle) {
    take(carried_.title, text_of(payload, "title"));
  } else if (type == name::kSessionPreferences) {
    take(carried_.preferences.provider, text_of(payload, "provider"));
    take(carried_.preferences.model, text_of(payload, "model"));
    take(carried_.preferences.permissions, text_of(payload, "permissions"));
  } else if (type == name::kSessionUsage) {
    add_usage(payload);
  } else if (type == name::kSubagentSession) {
    add_child({text_of(payload, "child_id"), text_of(payload, "parent_id"), text_of(payload, "status")});
  } else if (type == name::kSubdirInstructionLoad) {
    add_instruction(text_of(payload, "path"));
  }
}

void SessionLedger::add_result(const json::Node& payload) {
  const std::string call_id = text_of(payload, "call_id");
  open_calls_.erase(call_id);
  effects_.add(call_id, text_of(payload, "status"), payload.find("execution_effects"));
}

// What a checkpoint says stands for everything before it; what it leaves out is not taken back.
void SessionLedger::add_checkpoint(const json::Node& payload) {
  const auto generation = event::checkpoint_generation(payload, generation_);
  if (!generation) return;
  generation_ = *generation;
  effects_.restore(payload.find("execution_effects"));
  open_calls_.clear();
  const json::Node node = payload.find("carried");
  Carried carried;
  if (!node.is(json::Kind::kObject) || !event::parse_fields(node, carried)) return;
  take(carried_.title, std::move(carried.title));
  take(carried_.first_prompt, clipped_prompt(std::move(carried.first_prompt)));
  take(carried_.worktree, std::move(carried.worktree));
  take(carried_.preferences.provider, std::move(carried.preferences.provider));
  take(carried_.preferences.model, std::move(carried.preferences.model));
  take(carried_.preferences.permissions, std::move(carried.preferences.permissions));
  if (node.find("usage")) carried_.usage = carried.usage;
  for (CarriedChild& child : carried.children) add_child(std::move(child));
  for (std::string& path : carried.instructions) add_instruction(std::move(path));
}

void SessionLedger::add_usage(const json::Node& payload) {
  CarriedUsage& usage = carried_.usage;
  ++usage.requests;
  add_tokens(usage.input_tokens, payload, "input_tokens");
  add_tokens(usage.cached_tokens, payload, "cached_tokens");
  add_tokens(usage.cache_write_tokens, payload, "cache_write_tokens");
  add_tokens(usage.output_tokens, payload, "output_tokens");
  add_tokens(usage.reasoning_tokens, payload, "reasoning_tokens");
}

void SessionLedger::add_child(CarriedChild child) {
  if (child.child_id.empty()) return;
  const auto [place, is_new] = child_places_.try_emplace(child.child_id, carried_.children.size());
  if (!is_new)
    carried_.children[place->second] = std::move(child);
  else if (carried_.children.size() < kMaxChildren)
    carried_.children.push_back(std::move(child));
  else
    child_places_.erase(place);
}

void SessionLedger::add_instruction(std::string path) {
  std::vector<std::string>& known = carried_.instructions;
  if (path.empty() || known.size() >= kMaxInstructions || std::find(known.begin(), known.end(), path) != known.end())
    return;
  known.push_back(std::move(path));
}

void SessionLedger::finish() {
  // Such a call may have run in part.
  if (!open_calls_.empty()) effects_.doubt("calls without a recorded result may have run");
  open_calls_.clear();
}

Result<SessionLedger> read_ledger(int session_fd, std::uint64_t length, const std::function<bool()>& go_on) {
  static_assert(os::kLinePadding >= json::kPadding);
  SessionLedger ledger;
  os::LineSplitter lines(session::kMaxSessionLineBytes);
  for (std::uint64_t offset = 0; offset < length;) {
    if (!go_on()) return make_error(ErrorCode::kCancelled, "interrupted");
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, length - offset));
    const ssize_t count = os::disk().pread(session_fd, lines.prepare(wanted), wanted, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return errno_error("cannot read the session", count < 0 ? errno : EIO);
    lines.commit(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
    while (true) {
      const auto line = lines.next();
      if (!line)
        ledger.skip_line();
      else if (!*line)
        break;
      else
        ledger.add_line(**line);
    }
  }
  if (const auto rest = lines.rest()) ledger.add_line(*rest);
  ledger.finish();
  return ledger;
}

}  // namespace magi::context
