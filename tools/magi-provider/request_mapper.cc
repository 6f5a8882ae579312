#include "tools/magi-provider/request_mapper.h"

#include <algorithm>
#include <array>

#include "tools/magi-provider/plain_item.h"

namespace magi::provider {
namespace {

using context::RecordKind;

constexpr std::string_view kSummaryLeadIn = "Summary of the conversation so far:\\n\\n";
constexpr std::string_view kInterrupted = "The call was interrupted and has no result.";

// White space as a JSON string's source spells it.
bool is_blank(RawText text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ' ') continue;
    if (c != '\\' || at + 1 == text.size()) return false;
    const char escaped = text[++at];
    if (escaped != 'n' && escaped != 't' && escaped != 'r') return false;
  }
  return true;
}

bool is_same_family(std::string_view a, std::string_view b) {
  constexpr std::array<std::array<std::string_view, 2>, 2> kFamilies{
      {{"openai", "openai-codex"}, {"anthropic", "claude-subscription"}}};
  const auto in = [](const auto& family, std::string_view id) { return id == family[0] || id == family[1]; };
  return a == b || std::any_of(kFamilies.begin(), kFamilies.end(),
                               [&](const auto& family) { return in(family, a) && in(family, b); });
}

Result<std::vector<Image>> images_of(const json::Node& root) {
  std::vector<event::Part> parts;
  if (const json::Node node = root.find("parts");
      node && !node.is(json::Kind::kNull) && !event::detail::parse_value(node, parts))
    return make_error(ErrorCode::kBadRecord, "field 'parts' is of the wrong kind");
  return load_images(parts);
}

// A schema that every API takes as that of a tool's arguments: an object with a type and properties.
std::string object_schema(const json::Node& schema) {
  constexpr std::string_view kNothing = R"({"type":"object","properties":{}})";
  if (!schema.is(json::Kind::kObject)) return std::string(kNothing);
  std::string text;
  json::append_compact(text, schema.raw());
  std::string missing;
  if (!schema.find("type")) missing = R"("type":"object")";
  if (!schema.find("properties")) missing.append(missing.empty() ? "" : ",").append(R"("properties":{})");
  if (missing.empty()) return text;
  text.back() = text == "{}" ? ' ' : ',';
  if (text.back() == ' ') text.pop_back();
  return text.append(missing).append("}");
}

Result<json::Node> required_text(const json::Node& root, std::string_view key) {
  const json::Node node = root.find(key);
  if (node.is(json::Kind::kString)) return node;
  return make_error(ErrorCode::kBadRecord, "field ", quoted(key), " is missing or not a string");
}

}  // namespace

Result<void> RequestMapper::add(const context::StreamRecord& record) {
  const json::Node& root = record.root;
  switch (record.kind) {
    case RecordKind::kRequest: return take_request(root);
    case RecordKind::kConversation: session_id_ = root.find("session_id").as_string().value_or(""); return {};
    case RecordKind::kReasoningSelection: {
      const json::Node selection = root.find("selection");
      const json::Node effort = selection.is(json::Kind::kString) ? selection : selection.find("effort");
      selected_effort_ = effort.as_string().value_or("");
      return {};
    }
    case RecordKind::kSummary: return take_text(root, kSummaryLeadIn);
    case RecordKind::kEvidence:
    case RecordKind::kContext: return take_text(root, {});
    case RecordKind::kUser: return take_user(root);
    case RecordKind::kAssistant: return take_assistant(root);
    case RecordKind::kProviderItem: return take_item(root);
    case RecordKind::kToolCall: return take_call(root);
    case RecordKind::kToolResult: return take_result(root);
    case RecordKind::kEnd:
    case RecordKind::kCancel: return {};
  }
  return {};
}

Result<void> RequestMapper::take_request(const json::Node& root) {
  MAGI_TRY(request_, event::parse_record<event::Request>(root));
  if (is_blank(raw_from_text(request_.instructions))) request_.instructions.clear();
  if (!request_.parameters.empty()) {
    MAGI_TRY(parameters_, parameters_parser_.parse(request_.parameters.json));
  }
  return take_tools();
}

Result<void> RequestMapper::take_tools() {
  if (request_.tools.empty()) return {};
  MAGI_TRY(const json::Node list, arguments_parser_.parse(request_.tools.json));
  for (const json::Node tool : list.elements()) {
    const std::string defined = tool.find("name").as_string().value_or("");
    if (defined.empty()) return make_error(ErrorCode::kBadRecord, "a tool without a name");
    std::string name = legal_tool_name(defined);
    const auto is_same = [&](const Tool& other) { return other.name == name; };
    if (std::any_of(tools_.begin(), tools_.end(), is_same)) {
      notice("tool " + quoted(defined) + " is offered twice: the first counts");
      continue;
    }
    if (name != defined) renamed_tools_.emplace_back(name, defined);
    tools_.push_back(
        {std::move(name), tool.find("description").as_string().value_or(""), object_schema(tool.find("parameters"))});
  }
  return {};
}

RawText RequestMapper::clean(const json::Node& text, std::string& storage) {
  if (!text.has_unicode_escape() || !json::has_lone_surrogate(text.raw_string())) return text.raw_string();
  json::append_without_lone_surrogates(storage, text.raw_string());
  return storage;
}

Result<void> RequestMapper::take_text(const json::Node& root, std::string_view lead_in) {
  const json::Node text = root.find("text");
  if (!text.is(json::Kind::kString) || is_blank(text.raw_string())) return {};
  settle_calls();
  held_reasoning_.clear();
  std::string storage, with_lead_in;
  const RawText cleaned = clean(text, storage);
  if (!lead_in.empty()) with_lead_in.append(lead_in).append(cleaned);
  on_user(lead_in.empty() ? cleaned : RawText(with_lead_in), {});
  empty_ = ends_with_assistant_ = text_is_open_ = false;
  return {};
}

Result<void> RequestMapper::take_user(const json::Node& root) {
  MAGI_TRY(const json::Node text, required_text(root, "text"));
  MAGI_TRY(std::vector<Image> images, images_of(root));
  const bool blank = is_blank(text.raw_string());
  if (blank && images.empty()) return {};
  settle_calls();
  held_reasoning_.clear();
  std::string storage;
  on_user(blank ? RawText() : clean(text, storage), std::move(images));
  empty_ = ends_with_assistant_ = text_is_open_ = false;
  return {};
}

Result<void> RequestMapper::take_assistant(const json::Node& root) {
  MAGI_TRY(const json::Node text, required_text(root, "text"));
  if (is_blank(text.raw_string())) return {};
  const std::string turn = root.find("turn_id").as_string().value_or("");
  const bool joins = text_is_open_ && (text_was_cut_ || (!turn.empty() && turn == text_turn_));
  std::string storage;
  put_assistant(clean(text, storage), joins);
  text_is_open_ = true;
  text_turn_ = turn;
  text_was_cut_ = root.find("status").as_string() == "failed";
  return {};
}

void RequestMapper::put_assistant(RawText text, bool joins) {
  settle_calls();
  release_reasoning();
  on_assistant(text, joins);
  empty_ = text_is_open_ = false;
  ends_with_assistant_ = true;
}

Result<void> RequestMapper::take_call(const json::Node& root) {
  MAGI_TRY(event::ToolCall call, event::parse_record<event::ToolCall>(root));
  if (results_begun_) settle_calls();
  release_reasoning();
  std::string wire_id = legal_id(call.call_id, id_rules());
  for (int n = 2; wire_ids_.count(wire_id); ++n) wire_id = legal_id(call.call_id + "_" + std::to_string(n), id_rules());
  wire_ids_.insert(wire_id);
  source_ids_.insert(call.call_id);

  Call mapped{wire_id, legal_tool_name(call.name), {}, {}};
  std::string raw = std::string(raw_member(root, "arguments"));
  const auto parsed = arguments_parser_.parse(call.arguments);
  if (!parsed || !parsed->is(json::Kind::kObject)) {
    raw = mapped.json = "{}";
  } else if (json::has_lone_surrogate(call.arguments)) {
    json::append_without_lone_surrogates(mapped.json, call.arguments);
    raw = raw_from_text(mapped.json);
  } else {
    if (json::has_lone_surrogate(raw)) raw = raw_from_text(call.arguments);
    mapped.json = std::move(call.arguments);
  }
  mapped.raw = raw;
  on_call(mapped);
  open_calls_.push_back({std::move(call.call_id), std::move(wire_id), false, {}, false, {}});
  empty_ = ends_with_assistant_ = text_is_open_ = false;
  return {};
}

Result<void> RequestMapper::take_result(const json::Node& root) {
  MAGI_TRY(const json::Node output, required_text(root, "output"));
  const std::string call_id = root.find("call_id").as_string().value_or("");
  const auto open = std::find_if(open_calls_.begin(), open_calls_.end(), [&](const OpenCall& candidate) {
    return !candidate.answered && candidate.source_id == call_id;
  });
  if (open == open_calls_.end()) {
    notice("result of " + quoted(call_id) + " left out: no such call before it");
    return {};
  }
  MAGI_TRY(std::vector<Image> images, images_of(root));
  const std::string status = root.find("status").as_string().value_or("success");
  std::string storage;
  open->text = clean(output, storage);
  open->failed = status != "success";
  open->images = std::move(images);
  open->answered = true;
  results_begun_ = true;
  write_results();
  return {};
}

// Those that are there, as long as none of an earlier call is missing.
void RequestMapper::write_results() {
  while (results_written_ < open_calls_.size() && open_calls_[results_written_].answered) {
    OpenCall& call = open_calls_[results_written_++];
    on_result({call.wire_id, call.text, call.failed, std::move(call.images)});
    call.text.clear();
  }
}

// Calls and results are inseparable for every API: what has no result gets one that says so.
void RequestMapper::settle_calls() {
  for (OpenCall& call : open_calls_) {
    if (call.answered) continue;
    notice("call " + quoted(call.source_id) + " has no result: sent as interrupted");
    call.text = kInterrupted;
    call.failed = call.answered = true;
    write_results();
  }
  open_calls_.clear();
  results_written_ = 0;
  results_begun_ = false;
}

bool RequestMapper::is_own(std::string_view provider) const { return is_same_family(provider, options_.provider); }

Result<void> RequestMapper::take_item(const json::Node& root) {
  const std::string provider = root.find("provider").as_string().value_or("");
  const json::Node item = root.find("item");
  if (!item.is(json::Kind::kObject)) return {};
  if (!is_own(provider)) {
    if (const std::string text = plain_text_of_item(item); !text.empty()) put_assistant(raw_from_text(text), false);
    return {};
  }
  if (!is_sendable(item)) return {};
  if (results_begun_) settle_calls();
  std::string cleaned;
  if (json::has_lone_surrogate(item.raw()))
    json::append_without_lone_surrogates(cleaned, item.raw());
  else
    cleaned = item.raw();
  if (is_reasoning(item)) {
    held_reasoning_.push_back(std::move(cleaned));
    return {};
  }
  release_reasoning();
  if (const auto sent = item_parser_.parse(cleaned)) on_item(*sent);
  empty_ = text_is_open_ = false;
  ends_with_assistant_ = !may_end_with(item);
  return {};
}

void RequestMapper::release_reasoning() {
  for (const std::string& held : held_reasoning_)
    if (const auto item = item_parser_.parse(held)) on_item(*item);
  held_reasoning_.clear();
}

Result<void> RequestMapper::finish(std::string_view prompt) {
  settle_calls();
  held_reasoning_.clear();
  if (const std::string raw = raw_from_text(prompt); !is_blank(raw)) {
    on_user(raw, {});
  } else if (empty_) {
    return make_error(ErrorCode::kUsage, "the conversation is empty: give --prompt");
  } else if (ends_with_assistant_) {
    return make_error(ErrorCode::kUsage, "the conversation ends with the assistant: give --prompt");
  }
  return {};
}

Body RequestMapper::take_body(std::string_view model) {
  write_end(body_.out());
  std::string head;
  write_head(head, model);
  body_.prepend(std::move(head));
  return std::move(body_);
}

ReaderContext RequestMapper::reader_context() const {
  return {options_.provider, options_.base_url, source_ids_, renamed_tools_};
}

std::string RequestMapper::reasoning_effort() const {
  const auto asked = parameter(event::Reasoning::kType).find("effort").as_string();
  return asked ? *asked : selected_effort_;
}

std::string RequestMapper::cache_key() const {
  const std::string& session = session_id();
  return session.empty() ? session : legal_id(session, {});
}

bool RequestMapper::reasons(std::string_view model) {
  for (const std::string_view plain : {"gpt-4", "gpt-3.5", "chatgpt-4o"})
    if (model.starts_with(plain)) return false;
  return true;
}

bool RequestMapper::takes_temperature(std::string_view model) const {
  for (const std::string_view named : {"gpt-5", "o1", "o3", "o4"})
    if (model.starts_with(named)) return false;
  return !is_host("openai.com") || !reasons(model);
}

// What no API knows, and a tool that is not offered, would only be refused.
RequestMapper::ToolChoice RequestMapper::tool_choice() const {
  const json::Node choice = parameter("tool_choice");
  const json::Node named = choice.find("function") ? choice.find("function") : choice;
  if (const auto name = named.find("name").as_string()) {
    std::string legal = legal_tool_name(*name);
    const auto is_it = [&](const Tool& tool) { return tool.name == legal; };
    return std::any_of(tools_.begin(), tools_.end(), is_it) ? ToolChoice{{}, std::move(legal)} : ToolChoice{};
  }
  std::string word = (choice.is(json::Kind::kString) ? choice : choice.find("type")).as_string().value_or("");
  if (word == "any") word = "required";
  return word == "auto" || word == "none" || word == "required" ? ToolChoice{std::move(word), {}} : ToolChoice{};
}

bool RequestMapper::is_host(std::string_view suffix) const {
  std::string_view host = options_.base_url;
  if (const std::size_t scheme = host.find("://"); scheme != std::string_view::npos) host.remove_prefix(scheme + 3);
  host = host.substr(0, host.find_first_of(":/?"));
  if (!host.ends_with(suffix)) return false;
  return host.size() == suffix.size() || host[host.size() - suffix.size() - 1] == '.';
}

}  // namespace magi::provider
