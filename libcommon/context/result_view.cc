#include "libcommon/context/result_view.h"

#include "libcommon/context/elision.h"
#include "libcommon/context/item_texts.h"
#include "libcommon/event/stream.h"
#include "libcommon/json/writer.h"

namespace magi::context {
namespace {

// JSON text between quotes of a decoded text.
std::string raw_of(std::string_view text) {
  std::string quoted;
  json::append_quoted(quoted, text);
  return quoted.substr(1, quoted.size() - 2);
}

bool is_search_tool(std::string_view name) { return name == "grep" || name == "ffgrep" || name == "find"; }

// What a failed search of our own said, where its output is empty.
std::string search_diagnostics(std::string_view raw_details) {
  json::Parser parser;
  const auto details = parser.parse(raw_details);
  if (!details) return "";
  std::string text = details->find("stderr").as_string().value_or("");
  const std::string more = details->find("stdout").as_string().value_or("");
  if (!text.empty() && !more.empty() && text.back() != '\n') text += '\n';
  return raw_of(text + more);
}

Result<bool> is_search(const Item& call, LineSource& source) {
  static const std::size_t kName = slot_of<event::ToolCall>("name");
  MAGI_TRY(const ItemTexts texts, ItemTexts::read(source, call));
  return is_search_tool(texts[kName]);
}

}  // namespace

Result<ResultView> view_result(const ReplayIndex& index, std::size_t call_at, LineSource& source) {
  static const std::size_t kOutput = slot_of<event::ToolResult>("output");
  static const std::size_t kStatus = slot_of<event::ToolResult>("status");
  const Item& call = index.items()[call_at];
  const Item& result = *index.result_of(call);
  ResultView view;
  MAGI_TRY(ItemTexts texts, ItemTexts::read(source, result));
  if (const Item* same = index.same_skill_as(result)) {
    static const std::size_t kCallId = slot_of<event::ToolResult>("call_id");
    MAGI_TRY(const ItemTexts first, ItemTexts::read(source, *same));
    view.output =
        "[the same text of this skill stands unchanged in the result of call " + std::string(first[kCallId]) + "]";
    return view;
  }
  if (result.enforced) {
    const Projection projection = project_protected(texts[kOutput], index.assessment_of(result));
    const bool as_stored = projection.withheld.empty() && !projection.redacted;
    view.withheld = projection.withheld;
    view.with_parts = as_stored;
    if (!as_stored) view.output = raw_of(projection.text);
  } else if (texts[kOutput].empty() && texts[kStatus] != "success" && texts.has(kExtraSlot)) {
    MAGI_TRY(const bool applies, is_search(call, source));
    MAGI_TRY(texts, ItemTexts::read(source, result));
    if (applies) view.output = search_diagnostics(texts[kExtraSlot]);
  }
  const std::string_view raw = view.output ? std::string_view(*view.output) : texts[kOutput];
  if (raw.size() > kLongOutputCharacters && (result.always_bounded || index.is_historical(call_at))) {
    std::string bounded;
    view.omitted_chars = elide(bounded, raw);
    if (view.omitted_chars) view.output = std::move(bounded);
  }
  return view;
}

}  // namespace magi::context
