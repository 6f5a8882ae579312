#include "libcommon/context/stream_renderer.h"

#include "libcommon/context/evidence.h"
#include "libcommon/context/item_texts.h"
#include "libcommon/context/result_view.h"
#include "libcommon/event/stream.h"
#include "libcommon/json/node.h"

namespace magi::context {
namespace {

std::string_view context_kind(ItemKind kind) {
  if (kind == ItemKind::kHookContext) return "hook";
  return kind == ItemKind::kCodeModeContext ? "code_mode" : "instructions";
}

void append_selection(std::string& out, std::string_view selection) {
  begin_record(out, event::ReasoningSelection::kType);
  append_key(out, "selection");
  json::append_compact(out, selection);
  out += "}\n";
}

void append_context(std::string& out, const ItemTexts& texts, ItemKind kind) {
  begin_record(out, event::Context::kType);
  for_each_field<event::Context>([&](std::size_t slot, std::string_view field, FieldShape, bool) {
    append_key(out, field);
    append_string(out, field == "kind" ? context_kind(kind) : texts[slot]);
  });
  out += "}\n";
}

void append_interrupted(std::string& out, std::string_view raw_call_id) {
  event::ToolResult interrupted;
  json::append_unescaped(interrupted.call_id, raw_call_id);
  interrupted.result_id = "interrupted-" + interrupted.call_id;
  interrupted.status = "cancelled";
  interrupted.output = kInterruptedOutput;
  event::append_record(out, interrupted);
}

}  // namespace

Result<std::size_t> StreamRenderer::append(std::size_t at, std::string& out) {
  const Item& item = index_.items()[at];
  if (item.kind == ItemKind::kCheckpoint) {
    MAGI_CHECK(append_checkpoint(item, out));
    return at + 1;
  }
  if (item.kind != ItemKind::kToolCall) {
    MAGI_CHECK(append_item(item, out));
    return at + 1;
  }
  const std::size_t end = index_.group_end(at);
  for (std::size_t call = at; call < end; ++call) MAGI_CHECK(append_item(index_.items()[call], out));
  for (std::size_t call = at; call < end; ++call) MAGI_CHECK(append_result(call, out));
  return end;
}

Result<void> StreamRenderer::append_item(const Item& item, std::string& out) {
  MAGI_TRY(const ItemTexts texts, ItemTexts::read(source_, item));
  ++records_;
  switch (item.kind) {
    case ItemKind::kUser:
      if (texts.has(kExtraSlot)) {
        append_selection(out, texts[kExtraSlot]);
        ++records_;
      }
      append_copied<event::User>(out, texts);
      return {};
    case ItemKind::kAssistant:
    case ItemKind::kPartialText: append_copied<event::Assistant>(out, texts); return {};
    case ItemKind::kProviderItem: append_copied<event::ProviderItem>(out, texts); return {};
    case ItemKind::kToolCall: append_copied<event::ToolCall>(out, texts); return {};
    case ItemKind::kHookContext:
    case ItemKind::kCodeModeContext:
    case ItemKind::kInstructions: append_context(out, texts, item.kind); return {};
    case ItemKind::kToolResult:
    case ItemKind::kCheckpoint: break;
  }
  return make_error(ErrorCode::kInternal, "an item out of place");
}

Result<void> StreamRenderer::append_checkpoint(const Item& item, std::string& out) {
  MAGI_TRY(const ItemTexts texts, ItemTexts::read(source_, item));
  records_ += 2;
  begin_record(out, event::Summary::kType);
  for_each_field<event::Summary>([&](std::size_t slot, std::string_view field, FieldShape shape, bool) {
    append_key(out, field);
    if (shape == FieldShape::kString)
      append_string(out, texts[slot]);
    else
      out += std::to_string(index_.generation());
  });
  out += "}\n";
  event::Evidence evidence;
  json::Parser parser;
  auto effects = parser.parse(texts[kExtraSlot]);
  evidence.text = evidence_text(effects ? *effects : json::Node());
  if (effects && effects->is(json::Kind::kObject) && texts[kExtraSlot].size() <= kMaxEffectsBytes)
    json::append_compact(evidence.effects.json, texts[kExtraSlot]);
  event::append_record(out, evidence);
  return {};
}

Result<void> StreamRenderer::append_result(std::size_t call_at, std::string& out) {
  ++records_;
  const Item& call = index_.items()[call_at];
  const Item* result = index_.result_of(call);
  if (!result) {
    static const std::size_t kCallId = slot_of<event::ToolCall>("call_id");
    MAGI_TRY(const ItemTexts texts, ItemTexts::read(source_, call));
    append_interrupted(out, texts[kCallId]);
    return {};
  }
  MAGI_TRY(const ResultView shown, view_result(index_, call_at, source_));
  MAGI_TRY(const ItemTexts texts, ItemTexts::read(source_, *result));
  begin_record(out, event::ToolResult::kType);
  for_each_field<event::ToolResult>([&](std::size_t slot, std::string_view field, FieldShape shape, bool is_required) {
    if (field == "output" && shown.output) {
      append_key(out, field);
      append_string(out, *shown.output);
    } else if (field == "omitted_chars" && shown.omitted_chars) {
      append_key(out, field);
      out += std::to_string(*shown.omitted_chars);
    } else if (field == "withheld" && !shown.withheld.empty()) {
      append_key(out, field);
      append_string(out, shown.withheld);
    } else if (texts.has(slot) && (is_required || !texts[slot].empty()) && (field != "parts" || shown.with_parts)) {
      append_key(out, field);
      texts.append_value(out, slot, shape);
    }
  });
  out += "}\n";
  return {};
}

void append_conversation(std::string& out, const ReplayIndex& index, std::string_view fallback_id) {
  event::Conversation conversation;
  conversation.session_id = index.session_id().empty() ? std::string(fallback_id) : index.session_id();
  conversation.generation = index.generation();
  conversation.provider = index.provider();
  conversation.model = index.model();
  event::append_record(out, conversation);
}

}  // namespace magi::context
