#include "libcommon/context/stream_renderer.h"

#include <algorithm>
#include <optional>

#include "libcommon/context/elision.h"
#include "libcommon/context/evidence.h"
#include "libcommon/event/stream.h"
#include "libcommon/json/writer.h"

namespace magi::context {

// The slots of one item, read back.
class StreamRenderer::Texts {
 public:
  Texts(const Item& item, std::string_view bytes, std::uint32_t first) : item_(&item), bytes_(bytes), first_(first) {}
  bool has(std::size_t slot) const { return item_->slots[slot].present(); }
  bool is_plain(std::size_t slot) const { return !(item_->escaped_slots & 1u << slot); }
  std::string_view operator[](std::size_t slot) const {
    const Slice& slice = item_->slots[slot];
    return has(slot) ? bytes_.substr(slice.begin - first_, slice.size) : std::string_view();
  }

 private:
  const Item* item_;
  std::string_view bytes_;
  std::uint32_t first_;
};

// What of a result is shown.
struct StreamRenderer::Shown {
  std::optional<std::string> output;  // raw; nothing: as stored
  std::optional<std::int64_t> omitted_chars;
  std::string_view withheld;
  bool with_parts = true;
};

namespace {

void append_string(std::string& out, std::string_view raw) {
  out += '"';
  if (json::has_lone_surrogate(raw)) json::append_without_lone_surrogates(out, raw);
  else out += raw;
  out += '"';
}

void append_key(std::string& out, std::string_view name) { out.append(",\"").append(name).append("\":"); }

void begin_record(std::string& out, std::string_view type) { out.append("{\"type\":\"").append(type).append("\""); }

// A slot as its field's value.
template <class Texts>
void append_slot(std::string& out, const Texts& texts, std::size_t slot, FieldShape shape) {
  if (shape == FieldShape::kValue) return json::append_compact(out, texts[slot]);
  if (!texts.is_plain(slot)) return append_string(out, texts[slot]);
  out += '"';
  out += texts[slot];
  out += '"';
}

// The record whose fields are all in the item's slots.
template <class Record, class Texts>
void append_copied(std::string& out, const Texts& texts) {
  begin_record(out, Record::kType);
  for_each_field<Record>([&](std::size_t slot, std::string_view field, FieldShape shape, bool is_required) {
    if (!texts.has(slot) || (!is_required && texts[slot].empty())) return;
    append_key(out, field);
    append_slot(out, texts, slot, shape);
  });
  out += "}\n";
}

std::string_view context_kind(ItemKind kind) {
  if (kind == ItemKind::kHookContext) return "hook";
  return kind == ItemKind::kCodeModeContext ? "code_mode" : "instructions";
}

// JSON text between quotes of a decoded text.
std::string raw_of(std::string_view text) {
  std::string quoted;
  json::append_quoted(quoted, text);
  return quoted.substr(1, quoted.size() - 2);
}

// Requirement R10: what a failed search of our own said where its output is empty.
std::string search_diagnostics(std::string_view raw_details) {
  json::Parser parser;
  const auto details = parser.parse(raw_details);
  if (!details) return "";
  std::string text = details->find("stderr").as_string().value_or("");
  const std::string more = details->find("stdout").as_string().value_or("");
  if (!text.empty() && !more.empty() && text.back() != '\n') text += '\n';
  return raw_of(text + more);
}

// The byte before a text must open it and the one behind it end it, or the file is not what was indexed.
bool is_framed(std::string_view bytes, std::size_t begin, std::size_t size) {
  constexpr std::string_view kBefore = "\":, \t\n\r", kBehind = "\",} \t\n\r";
  return kBefore.find(bytes[begin - 1]) != std::string_view::npos &&
         kBehind.find(bytes[begin + size]) != std::string_view::npos;
}

bool is_search_tool(std::string_view name) { return name == "grep" || name == "ffgrep" || name == "find"; }

}  // namespace

Result<StreamRenderer::Texts> StreamRenderer::texts_of(const Item& item) {
  std::uint32_t first = UINT32_MAX, last = 0;
  for (const Slice& slice : item.slots) {
    if (!slice.present()) continue;
    first = std::min(first, slice.begin);
    last = std::max(last, slice.begin + slice.size);
  }
  if (last == 0) return make_error(ErrorCode::kInternal, "an item without texts");
  --first;
  MAGI_TRY(const std::string_view bytes, source_.fetch(item.offset + first, last - first + 1));
  for (const Slice& slice : item.slots)
    if (slice.present() && !is_framed(bytes, slice.begin - first, slice.size))
      return make_error(ErrorCode::kIo, "the session was changed while it was read");
  return Texts(item, bytes, first);
}

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
  MAGI_TRY(const Texts texts, texts_of(item));
  ++records_;
  switch (item.kind) {
    case ItemKind::kUser:
      if (texts.has(kExtraSlot)) {
        begin_record(out, event::ReasoningSelection::kType);
        append_key(out, "selection");
        json::append_compact(out, texts[kExtraSlot]);
        out += "}\n";
        ++records_;
      }
      append_copied<event::User>(out, texts);
      return {};
    case ItemKind::kAssistant:
    case ItemKind::kPartialText:
      append_copied<event::Assistant>(out, texts);
      return {};
    case ItemKind::kProviderItem:
      append_copied<event::ProviderItem>(out, texts);
      return {};
    case ItemKind::kToolCall:
      append_copied<event::ToolCall>(out, texts);
      return {};
    case ItemKind::kHookContext:
    case ItemKind::kCodeModeContext:
    case ItemKind::kInstructions:
      begin_record(out, event::Context::kType);
      for_each_field<event::Context>([&](std::size_t slot, std::string_view field, FieldShape, bool) {
        append_key(out, field);
        append_string(out, field == "kind" ? context_kind(item.kind) : texts[slot]);
      });
      out += "}\n";
      return {};
    case ItemKind::kToolResult:
    case ItemKind::kCheckpoint:
      break;
  }
  return make_error(ErrorCode::kInternal, "an item out of place");
}

Result<void> StreamRenderer::append_checkpoint(const Item& item, std::string& out) {
  MAGI_TRY(const Texts texts, texts_of(item));
  records_ += 2;
  begin_record(out, event::Summary::kType);
  for_each_field<event::Summary>([&](std::size_t slot, std::string_view field, FieldShape shape, bool) {
    append_key(out, field);
    if (shape == FieldShape::kString) append_string(out, texts[slot]);
    else out += std::to_string(index_.generation());
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

Result<std::string> StreamRenderer::tool_name(const Item& call) {
  static const std::size_t kName = slot_of<event::ToolCall>("name");
  MAGI_TRY(const Texts texts, texts_of(call));
  return std::string(texts[kName]);
}

// The overlays of a result, in their order: search diagnostics, protection, then the bound on long outputs.
Result<StreamRenderer::Shown> StreamRenderer::show(std::size_t call_at, const Item& result) {
  static const std::size_t kOutput = slot_of<event::ToolResult>("output");
  static const std::size_t kStatus = slot_of<event::ToolResult>("status");
  Shown shown;
  MAGI_TRY(Texts texts, texts_of(result));
  if (result.enforced) {
    Projection projection = project_protected(texts[kOutput], index_.assessment_of(result));
    shown.with_parts = projection.withheld.empty() && !projection.redacted;
    shown.withheld = projection.withheld;
    if (!projection.withheld.empty() || projection.redacted) shown.output = raw_of(projection.text);
  } else if (texts[kOutput].empty() && texts[kStatus] != "success" && texts.has(kExtraSlot)) {
    MAGI_TRY(const std::string name, tool_name(index_.items()[call_at]));
    MAGI_TRY(texts, texts_of(result));
    if (is_search_tool(name)) shown.output = search_diagnostics(texts[kExtraSlot]);
  }
  const std::string_view raw = shown.output ? std::string_view(*shown.output) : texts[kOutput];
  if (raw.size() > kLongOutputCharacters && (result.always_bounded || index_.is_historical(call_at))) {
    std::string bounded;
    shown.omitted_chars = elide(bounded, raw);
    if (shown.omitted_chars) shown.output = std::move(bounded);
  }
  return shown;
}

Result<void> StreamRenderer::append_result(std::size_t call_at, std::string& out) {
  ++records_;
  const Item& call = index_.items()[call_at];
  const Item* result = index_.result_of(call);
  if (!result) {
    static const std::size_t kCallId = slot_of<event::ToolCall>("call_id");
    MAGI_TRY(const Texts texts, texts_of(call));
    event::ToolResult interrupted;
    json::append_unescaped(interrupted.call_id, texts[kCallId]);
    interrupted.status = "cancelled";
    interrupted.output = kInterruptedOutput;
    event::append_record(out, interrupted);
    return {};
  }
  MAGI_TRY(const Shown shown, show(call_at, *result));
  MAGI_TRY(const Texts texts, texts_of(*result));
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
      append_slot(out, texts, slot, shape);
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
