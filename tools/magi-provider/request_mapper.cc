#include "tools/magi-provider/request_mapper.h"

#include <algorithm>
#include <array>

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
    if (name != defined) renamed_tools_.emplace_back(name, defined);
    const json::Node schema = tool.find("parameters");
    tools_.push_back(
        {std::move(name), tool.find("description").as_string().value_or(""),
         schema.is(json::Kind::kObject) ? std::string(schema.raw()) : R"({"type":"object","properties":{}})"});
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
  empty_ = ends_with_assistant_ = false;
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
  empty_ = ends_with_assistant_ = false;
  return {};
}

Result<void> RequestMapper::take_assistant(const json::Node& root) {
  MAGI_TRY(const json::Node text, required_text(root, "text"));
  if (is_blank(text.raw_string())) return {};
  settle_calls();
  release_reasoning();
  std::string storage;
  on_assistant(clean(text, storage));
  empty_ = false;
  ends_with_assistant_ = true;
  return {};
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
  open_calls_.push_back({std::move(call.call_id), std::move(wire_id), false});
  empty_ = ends_with_assistant_ = false;
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
  on_result({open->wire_id, clean(output, storage), status != "success", std::move(images)});
  open->answered = true;
  results_begun_ = true;
  return {};
}

// Calls and results are inseparable for every API: what has no result gets one that says so.
void RequestMapper::settle_calls() {
  for (const OpenCall& call : open_calls_) {
    if (call.answered) continue;
    notice("call " + quoted(call.source_id) + " has no result: sent as interrupted");
    on_result({call.wire_id, kInterrupted, true, {}});
  }
  open_calls_.clear();
  results_begun_ = false;
}

bool RequestMapper::is_own(std::string_view provider) const { return is_same_family(provider, options_.provider); }

Result<void> RequestMapper::take_item(const json::Node& root) {
  const std::string provider = root.find("provider").as_string().value_or("");
  const json::Node item = root.find("item");
  if (!is_own(provider) || !item.is(json::Kind::kObject)) return {};
  if (results_begun_) settle_calls();
  if (is_reasoning(item)) {
    held_reasoning_.emplace_back(item.raw());
    return {};
  }
  release_reasoning();
  on_item(item);
  empty_ = false;
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

bool RequestMapper::is_host(std::string_view suffix) const {
  std::string_view host = options_.base_url;
  if (const std::size_t scheme = host.find("://"); scheme != std::string_view::npos) host.remove_prefix(scheme + 3);
  host = host.substr(0, host.find_first_of(":/?"));
  return host.size() >= suffix.size() && host.substr(host.size() - suffix.size()) == suffix;
}

}  // namespace magi::provider
