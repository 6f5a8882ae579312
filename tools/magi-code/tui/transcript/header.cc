// The first and last lines of cards.
#include <algorithm>

#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/transcript/sections.h"
#include "tools/magi-code/tui/transcript/tool_facts.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kSpinner[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr int kLeastIntent = 10;

struct Mark {
  std::string_view sign;
  Role role;
};

std::string_view spinner(const Moment& moment) { return kSpinner[moment.spin % std::size(kSpinner)]; }

Mark mark_of(const ToolFacts& tool, const Moment& moment) {
  if (tool.awaits_approval) return {"?", Role::kWarning};
  if (tool.running()) return {spinner(moment), Role::kAccent};
  if (tool.status == "success") return {"✓", Role::kSuccess};
  if (tool.status == "cancelled") return {"⊘", Role::kWarning};
  return {"✗", Role::kError};
}

// Pieces behind the intent: how it ended, how long it took, how much there was.
void add_outcome(Line& out, const ToolFacts& tool, const Card& card, const Moment& moment) {
  const auto say = [&](std::string_view text, Role role = Role::kMuted) {
    append_text(out, " · ", {Role::kMuted});
    append_text(out, text, {role});
  };
  if (tool.added + tool.removed > 0) {
    append_text(out, " +" + std::to_string(tool.added), {Role::kAdded});
    append_text(out, " -" + std::to_string(tool.removed), {Role::kRemoved});
  }
  if (tool.awaits_approval) return say("waits for your approval", Role::kWarning);
  if (tool.status == "writing") return say("being written");
  if (tool.running()) {
    if (tool.started_ms >= 0) say(duration_text(moment.now_ms - tool.started_ms));
    if (tool.live.size() > 0) say(byte_count(tool.live.size()));
    return;
  }
  if (tool.status == "timed_out")
    say("timed out", Role::kError);
  else if (tool.status != "success")
    say(tool.status == "error" ? "failed" : visible(tool.status), Role::kError);
  if (!tool.signal.empty())
    say(visible(tool.signal), Role::kError);
  else if (tool.exit_code && *tool.exit_code != 0)
    say("exit " + std::to_string(*tool.exit_code), Role::kError);
  if (tool.duration_ms)
    say(duration_text(*tool.duration_ms));
  else if (tool.started_ms >= 0 && tool.ended_ms >= 0)
    say(duration_text(tool.ended_ms - tool.started_ms));
  if (card.fold == Fold::kFolded && !card.text.empty() && !tool.is_edit) {
    const auto lines = std::count(card.text.begin(), card.text.end(), '\n') + (card.text.back() == '\n' ? 0 : 1);
    say(std::to_string(lines) + (lines == 1 ? " line" : " lines"));
  }
  if (tool.omitted_bytes.value_or(0) > 0)
    say(byte_count(static_cast<std::uint64_t>(*tool.omitted_bytes)) + " omitted", Role::kWarning);
  if (tool.masked_secrets.value_or(0) > 0)
    say(std::to_string(*tool.masked_secrets) + " secrets masked", Role::kWarning);
  if (!tool.withheld.empty()) say("withheld: " + visible(tool.withheld), Role::kWarning);
  if (!tool.approval.empty()) say(visible(tool.approval));
}

Line tool_header(const Card& card, int columns, const Moment& moment) {
  const ToolFacts& tool = *card.tool;
  const Mark mark = mark_of(tool, moment);
  Line line, outcome;
  if (tool.nested) append_text(line, "  ↳ ", {Role::kMuted});
  append_text(line, std::string(mark.sign) + " ", {mark.role});
  append_text(line, tool.local ? "!" : visible(tool.name), Style{Role::kTitle, true});
  add_outcome(outcome, tool, card, moment);
  const std::string intent = visible(tool.intent);
  const int room = std::max(columns - columns_of(line) - columns_of(outcome) - 1, kLeastIntent);
  if (!intent.empty()) {
    append_text(line, " ", {});
    append_text(line, tool.path.empty() ? shorten(intent, room) : shorten_front(intent, room), {});
  }
  for (const Span& span : outcome.spans) append_text(line, span.text, span.style);
  return shorten(line, columns);
}

Line compaction_header(const Card& card, int columns, const Moment& moment) {
  const CompactionFacts& facts = *card.compaction;
  Line line;
  const std::string trigger = facts.trigger.empty() ? "" : " (" + visible(facts.trigger) + ")";
  if (facts.status == "started") {
    append_text(line, std::string(spinner(moment)) + " ", {Role::kAccent});
    append_text(line, "compacting the context" + trigger, Style{Role::kTitle, true});
    append_text(line, " · " + duration_text(moment.now_ms - facts.started_ms), {Role::kMuted});
  } else if (facts.status == "failed") {
    append_text(line, "✗ ", {Role::kError});
    append_text(line, "compaction failed" + trigger, Style{Role::kError, true});
    if (!facts.error.empty()) append_text(line, ": " + visible(facts.error), {Role::kError});
  } else {
    append_text(line, "◆ ", {Role::kAccent});
    append_text(line, "context compacted" + trigger, Style{Role::kTitle, true});
    if (facts.tokens_before && facts.tokens_after)
      append_text(line, " · " + grouped(*facts.tokens_before) + " → " + grouped(*facts.tokens_after) + " tokens",
                  {Role::kMuted});
    if (facts.generation) append_text(line, " · generation " + std::to_string(*facts.generation), {Role::kMuted});
  }
  return shorten(line, columns);
}

}  // namespace

Line header_of(const Card& card, int columns, const Moment& moment) {
  switch (card.kind) {
    case CardKind::kTool: return tool_header(card, columns, moment);
    case CardKind::kCompaction: return compaction_header(card, columns, moment);
    case CardKind::kReasoning: {
      Line line;
      const bool live = card.status == "streaming";
      append_text(line, std::string(live ? spinner(moment) : std::string_view("∴")) + " ",
                  {live ? Role::kAccent : Role::kMuted});
      append_text(line, live ? "thinking" : "thought", {Role::kMuted});
      return line;
    }
    case CardKind::kContext: {
      Line line;
      append_text(line, "○ ", {Role::kMuted});
      append_text(line, "context: " + visible(card.label), {Role::kMuted});
      return shorten(line, columns);
    }
    default: return {};
  }
}

Line footer_of(const Card& card) {
  Line line;
  if (card.kind == CardKind::kPrompt && card.status == "waiting")
    append_text(line, "⋯ waits for the next step of the turn", {Role::kMuted});
  if (card.kind != CardKind::kAnswer) return line;
  if (card.status == "cancelled") append_text(line, "⊘ interrupted here", {Role::kWarning});
  if (card.status == "failed") append_text(line, "✗ failed here, the answer is not complete", {Role::kError});
  if (card.status == "partial") append_text(line, "⋯ cut off here", {Role::kWarning});
  return line;
}

bool animates(const Card& card) {
  if (card.tool) return card.tool->running() && !card.tool->awaits_approval;
  if (card.compaction) return card.compaction->status == "started";
  return card.kind == CardKind::kReasoning && card.status == "streaming";
}

}  // namespace magi::code::tui
