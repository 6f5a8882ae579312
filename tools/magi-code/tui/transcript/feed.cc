// Events of a run as cards.
#include <algorithm>

#include "tools/magi-code/tui/transcript/tool_facts.h"
#include "tools/magi-code/tui/transcript/transcript_state.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kCompleted = "completed", kFailed = "failed", kCancelled = "cancelled", kStarted = "started",
                           kStreaming = "streaming", kRunning = "running", kWriting = "writing", kPartial = "partial";

std::string bounded_text(std::string_view text) { return bounded(text, limit::kText / 2, limit::kText / 2); }

// Images and files that a result holds beside its text.
void append_parts(std::string& text, const std::vector<event::Part>& parts) {
  for (const event::Part& part : parts) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += "[" + (part.media_type.empty() ? part.type : part.media_type);
    if (part.bytes) text += ", " + byte_count(static_cast<std::uint64_t>(std::max<std::int64_t>(*part.bytes, 0)));
    text += "]\n";
  }
}

void settle_fold(Card& card) {
  if (card.fold_chosen) return;
  const bool success = card.tool->status == "success";
  // Whoever runs a command wants to see what it says.
  card.fold = success && !card.tool->is_edit && !card.tool->local ? Fold::kFolded : Fold::kPreview;
}

std::string approval_text(std::string_view decision, std::string_view text) {
  const std::string more = text.empty() ? std::string() : ": " + std::string(text);
  if (decision == "allow") return "allowed";
  if (decision == "allow_session") return "allowed for this session";
  if (decision == "allow_pattern") return "allowed by pattern" + more;
  return "refused" + more;
}

}  // namespace

// --- What the others share ---

Card& TranscriptState::add(CardKind kind) {
  Card& card = cards.add(kind);
  dirty = true;
  if (!view.follows()) new_below = true;
  return card;
}

void TranscriptState::changed(Card& card, std::size_t bytes) {
  card.touch();
  dirty = true;
  if (!view.follows()) new_below = true;
  if (bytes > 0) cards.grew(bytes);
}

Card& TranscriptState::streaming(CardKind kind) {
  if (written && written->kind == kind) return *written;
  end_streaming(kCompleted);
  Card& card = add(kind);
  card.status = kStreaming;
  if (kind == CardKind::kReasoning) card.fold = Fold::kPreview;
  written = &card;
  return card;
}

void TranscriptState::end_streaming(std::string_view status) {
  Card* const card = std::exchange(written, nullptr);
  if (!card) return;
  card->status = status;
  if (card->kind == CardKind::kReasoning && !card->fold_chosen) card->fold = Fold::kFolded;
  card->text.shrink_to_fit();
  changed(*card);
}

void TranscriptState::end_tools(std::string_view status) {
  for (Card* const card : std::exchange(running, {})) {
    if (!card->tool->running()) continue;
    card->tool->status = status;
    card->tool->awaits_approval = false;
    card->tool->ended_ms = card->tool->started_ms >= 0 ? layouter.moment().now_ms : -1;
    card->text = card->tool->live.text();
    settle_fold(*card);
    changed(*card);
  }
}

Card& TranscriptState::note(std::string_view level, std::string_view text) {
  Card& card = add(CardKind::kNote);
  card.label = level;
  card.text = bounded_text(text);
  changed(card, card.text.size());
  return card;
}

Card& TranscriptState::tool_card(std::string_view call_id) {
  if (Card* const known = cards.tool(call_id)) return *known;
  Card& card = add(CardKind::kTool);
  card.tool = std::make_unique<ToolFacts>();
  card.tool->call_id = call_id;
  card.tool->name = "tool";
  card.tool->status = kRunning;
  card.fold = Fold::kPreview;
  cards.name_tool(card);
  running.push_back(&card);
  return card;
}

// --- Events ---

void Transcript::now(std::int64_t now_ms) {
  state_->layouter.set_now(now_ms);
  if (animates()) state_->dirty = true;
}

void Transcript::session(const SessionRecord&) {}

void Transcript::turn(const TurnRecord& record) {
  if (record.status == kStarted) return;
  TranscriptState& state = *state_;
  const bool unfinished = state.written && state.written->kind == CardKind::kAnswer;
  state.end_streaming(record.status);
  state.end_tools(kCancelled);
  if (record.status == kCancelled && !unfinished) state.note("warning", "interrupted");
}

void Transcript::text(std::string_view delta) {
  if (delta.empty()) return;
  Card& card = state_->streaming(CardKind::kAnswer);
  if (card.text.size() >= limit::kText) return;
  card.text += delta;
  if (card.text.size() >= limit::kText) card.text += "\n\n[… the rest is not shown …]\n";
  state_->changed(card, delta.size());
}

void Transcript::reasoning(std::string_view delta) {
  if (delta.empty()) return;
  Card& card = state_->streaming(CardKind::kReasoning);
  if (card.text.size() >= limit::kText) return;
  card.text += delta;
  state_->changed(card, delta.size());
}

void Transcript::attempt(const event::Attempt& attempt) {
  if (attempt.number < 2) return;
  state_->end_streaming(kPartial);
  std::string text = "retrying, attempt " + std::to_string(attempt.number);
  if (!attempt.reason.empty()) text += ": " + attempt.reason;
  if (attempt.delay_ms.value_or(0) > 0) text += " (after " + duration_text(*attempt.delay_ms) + ")";
  // One card for all attempts of a request.
  if (Card* const last = state_->cards.last(); last && last->kind == CardKind::kNote && last->action_id == "attempt") {
    last->text = bounded_text(text);
    return state_->changed(*last);
  }
  state_->note("warning", text).action_id = "attempt";
}

void Transcript::tool_call(const event::ToolCall& call) {
  state_->end_streaming(kCompleted);
  Card& card = state_->tool_card(call.call_id);
  ToolFacts& tool = *card.tool;
  read_call(tool, call.name, call.arguments);
  tool.status = kRunning;
  tool.nested = !call.parent_call_id.empty();
  tool.started_ms = state_->layouter.moment().now_ms;
  state_->changed(card, tool.arguments.size());
}

void Transcript::tool_progress(const event::ToolProgress& progress) {
  Card* const known = state_->cards.tool(progress.call_id);
  if (known && !known->tool->running()) return;
  if (!known) state_->end_streaming(kCompleted);
  Card& card = state_->tool_card(progress.call_id);
  ToolFacts& tool = *card.tool;
  if (!known) tool.status = kWriting;
  if (!progress.name.empty() && tool.status == kWriting) tool.name = progress.name;
  if (!progress.text.empty()) {
    tool.status = kRunning;
    tool.live.append(progress.text);
  }
  state_->changed(card);
}

void Transcript::tool_result(const event::ToolAnswer& result) {
  Card& card = state_->tool_card(result.call_id);
  ToolFacts& tool = *card.tool;
  std::erase(state_->running, &card);
  tool.status = result.status;
  tool.awaits_approval = false;
  tool.ended_ms = state_->layouter.moment().now_ms;
  tool.duration_ms = result.duration_ms;
  tool.omitted_bytes = result.omitted_bytes;
  tool.masked_secrets = result.masked_secrets;
  tool.live = BoundedText(limit::kOutputHead, limit::kOutputTail);
  read_answer(tool, result.details.json, result.output);
  card.text = bounded(result.output, limit::kOutputHead, limit::kOutputTail);
  append_parts(card.text, result.parts);
  settle_fold(card);
  state_->changed(card, card.text.size());
}

void Transcript::automatic_user_prompt(const AutomaticUserPrompt& record) {
  state_->end_streaming(kPartial);
  Card& card = state_->add(CardKind::kPrompt);
  card.label = "automatic";
  card.text = bounded_text(record.text);
  if (!record.reason.empty()) card.text += " (" + bounded_text(record.reason) + ")";
  state_->changed(card, card.text.size());
}

void Transcript::compaction(const CompactionRecord& record) {
  TranscriptState& state = *state_;
  state.end_streaming(kCompleted);
  Card* card = nullptr;
  if (record.status != kStarted && !state.compactions_running.empty()) {
    card = state.compactions_running.back();
    state.compactions_running.pop_back();
  } else {
    card = &state.add(CardKind::kCompaction);
    card->compaction = std::make_unique<CompactionFacts>();
    card->compaction->started_ms = state.layouter.moment().now_ms;
  }
  CompactionFacts& facts = *card->compaction;
  if (record.status == kStarted) state.compactions_running.push_back(card);
  facts.status = record.status;
  facts.trigger = record.trigger;
  facts.error = bounded_text(record.error);
  facts.generation = record.generation;
  facts.tokens_before = record.tokens_before;
  facts.tokens_after = record.tokens_after;
  card->text = bounded_text(record.summary);
  card->renew();
  state.changed(*card, card->text.size());
}

void Transcript::diagnostic(const DiagnosticRecord& record) { state_->note(record.level, record.message); }
void Transcript::usage(const event::Usage&) {}

void Transcript::approval_request(const ApprovalRequest& request) {
  Card* const known = state_->cards.tool(request.call_id);
  Card& card = state_->tool_card(request.call_id);
  if (!known) read_call(*card.tool, request.name, request.arguments);
  if (!card.tool->running()) return;
  card.tool->awaits_approval = true;
  state_->changed(card);
}

void Transcript::approval_answered(std::string_view call_id, std::string_view decision, std::string_view text) {
  Card* const card = state_->cards.tool(call_id);
  if (!card) return;
  card->tool->awaits_approval = false;
  card->tool->approval = approval_text(decision, text);
  state_->changed(*card);
}

void Transcript::result(const ResultRecord& record) {
  state_->end_streaming(record.status == kCancelled ? kCancelled : record.error ? kFailed : kCompleted);
  if (record.error && record.status != kCancelled) state_->note("error", record.error->message);
}

// --- The person ---

void Transcript::prompt(std::string_view text) {
  state_->end_streaming(kCompleted);
  Card& card = state_->add(CardKind::kPrompt);
  card.label = "user";
  card.text = bounded_text(text);
  state_->changed(card, card.text.size());
}

void Transcript::steering(std::string_view action_id, std::string_view text) {
  state_->cards.add_waiting(action_id, bounded_text(text));
  state_->dirty = true;
}

void Transcript::delivered(const Delivered& record) {
  Card* const card = record.id.empty() ? nullptr : state_->cards.waiting(record.id);
  if (!card) return;
  state_->end_streaming(kCompleted);
  state_->cards.settle(*card);
  state_->dirty = true;
}

void Transcript::recalled(std::string_view action_id) {
  Card* const card = state_->cards.waiting(action_id);
  if (!card) return;
  state_->forget(*card);
  state_->cards.remove(*card);
  state_->dirty = true;
}

void Transcript::undelivered(std::string_view, std::string_view action_id) { recalled(action_id); }

void Transcript::local_command(std::string_view call_id, std::string_view command) {
  Card& card = state_->tool_card(call_id);
  ToolFacts& tool = *card.tool;
  tool.intent = command;
  tool.arguments = command;
  tool.local = true;
  tool.started_ms = state_->layouter.moment().now_ms;
  state_->changed(card, command.size());
}

void Transcript::note(std::string_view level, std::string_view text) { state_->note(level, text); }

// --- A conversation that is reopened ---

void Transcript::history(const event::User& user) {
  Card& card = state_->add(CardKind::kPrompt);
  card.label = user.origin.starts_with("automatic") ? "automatic" : user.origin;
  card.text = bounded_text(user.text);
  append_parts(card.text, user.parts);
  state_->changed(card, card.text.size());
}

void Transcript::history(const event::Assistant& assistant) {
  if (assistant.text.empty() && (assistant.status.empty() || assistant.status == kCompleted)) return;
  Card& card = state_->add(CardKind::kAnswer);
  card.status = assistant.status.empty() ? std::string(kCompleted) : assistant.status;
  card.text = bounded_text(assistant.text);
  state_->changed(card, card.text.size());
}

void Transcript::history(const event::ToolCall& call) {
  tool_call(call);
  state_->cards.tool(call.call_id)->tool->started_ms = -1;
}

void Transcript::history(const event::ToolResult& result) {
  event::ToolAnswer answer;
  answer.call_id = result.call_id;
  answer.status = result.status.empty() ? "success" : result.status;
  answer.output = result.output;
  answer.parts = result.parts;
  answer.omitted_bytes = result.omitted_chars;
  tool_result(answer);
  state_->cards.tool(result.call_id)->tool->withheld = result.withheld;
}

void Transcript::history(const event::Summary& summary) {
  Card& card = state_->add(CardKind::kCompaction);
  card.compaction = std::make_unique<CompactionFacts>();
  card.compaction->status = kCompleted;
  if (summary.generation > 0) card.compaction->generation = summary.generation;
  card.text = bounded_text(summary.text);
  state_->changed(card, card.text.size());
}

void Transcript::history(const event::Evidence& evidence) {
  Card* const last = state_->cards.last();
  if (!last || !last->compaction) return;
  last->compaction->evidence = bounded_text(evidence.text);
  state_->changed(*last, evidence.text.size());
}

void Transcript::history(const event::Context& context) {
  Card& card = state_->add(CardKind::kContext);
  card.label = context.kind;
  card.fold = Fold::kFolded;
  card.text = bounded_text(context.text);
  state_->changed(card, card.text.size());
}

void Transcript::history_ended() {
  state_->end_tools(kCancelled);
  state_->view.to_end();
  state_->new_below = false;
}

}  // namespace magi::code::tui
