#include "tools/magi-code/tui/app/border.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/text/wrap.h"

namespace magi::code::tui {
namespace {

constexpr const char* kSpinner[] = {"\u280b", "\u2819", "\u2839", "\u2838", "\u283c",
                                    "\u2834", "\u2826", "\u2827", "\u2807", "\u280f"};
constexpr int kBarColumns = 12;

// Parts in the order in which they are left out where there is no room: the last one first.
struct Part {
  Line line;
  int rank = 0;
};

int width_of(const std::vector<Part>& parts) {
  int columns = 0;
  for (const Part& part : parts) columns += columns_of(part.line) + 1;
  return columns;
}

void drop_until_fits(std::vector<Part>& left, std::vector<Part>& right, int columns) {
  while (width_of(left) + width_of(right) > columns) {
    const auto less = [](const Part& a, const Part& b) { return a.rank < b.rank; };
    const auto worst_left = std::max_element(left.begin(), left.end(), less);
    const auto worst_right = std::max_element(right.begin(), right.end(), less);
    const bool take_left =
        worst_right == right.end() || (worst_left != left.end() && worst_left->rank > worst_right->rank);
    if (take_left && worst_left == left.end()) return;
    take_left ? (void)left.erase(worst_left) : (void)right.erase(worst_right);
  }
}

Line joined(std::vector<Part> left, std::vector<Part> right, int columns, const char* filler, Style style) {
  drop_until_fits(left, right, columns);
  Line line;
  int used = 0;
  const auto add = [&](const Part& part) {
    for (const Span& span : part.line.spans) line.spans.push_back(span);
    used += columns_of(part.line);
  };
  const auto fill = [&](int count) {
    std::string text;
    for (int n = 0; n < count; ++n) text += filler;
    line.add(std::move(text), style);
    used += std::max(0, count);
  };
  int right_columns = 0;
  for (const Part& part : right) right_columns += columns_of(part.line) + 1;
  for (const Part& part : left) {
    fill(1);
    add(part);
  }
  fill(std::max(0, columns - used - right_columns));
  for (const Part& part : right) {
    add(part);
    fill(1);
  }
  return line;
}

std::string percent_text(double percent) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f%%", percent);
  return text;
}

Line context_bar(const ContextReport& context) {
  const bool high = context.compaction_cutoff && context.total >= *context.compaction_cutoff;
  const bool near = context.compaction_cutoff && context.total * 10 >= *context.compaction_cutoff * 9;
  const Role role = high ? Role::kError : near ? Role::kWarning : Role::kAccent;
  const double share = std::clamp(context.percent / 100, 0.0, 1.0);
  const int full = static_cast<int>(std::lround(share * kBarColumns));
  std::string bar, rest;
  for (int n = 0; n < kBarColumns; ++n) (n < full ? bar : rest) += n < full ? "\u2588" : "\u2591";
  return Line().add(std::move(bar), {role}).add(std::move(rest), {Role::kBorder});
}

void add_context(const State& state, std::vector<Part>& parts) {
  if (!state.context) {
    if (!state.context_unknown.empty()) parts.push_back({Line(" Current Ctx ? ", {Role::kMuted}), 4});
    return;
  }
  const ContextReport& context = *state.context;
  Line counts;
  counts.add(" Current Ctx ", {Role::kMuted})
      .add(brief_count(context.total) + "/" + brief_count(context.max_tokens) + " ");
  parts.push_back({std::move(counts), 4});
  parts.push_back({context_bar(context), 6});
  parts.push_back({Line(" " + percent_text(context.percent) + " "), 2});
  if (context.compaction_cutoff)
    parts.push_back({Line().add(" Compact ", {Role::kMuted}).add(brief_count(*context.compaction_cutoff) + " "), 7});
}

void add_activity(const State& state, std::vector<Part>& parts) {
  if (state.phase == Phase::kIdle) return;
  if (state.phase == Phase::kClosed) return parts.push_back({Line(" no session ", {Role::kError}), 1});
  const std::int64_t frame = state.settings.reduced_motion ? 0 : state.now_ms / 100;
  Line line;
  line.add(std::string(" ") + kSpinner[static_cast<std::size_t>(frame % 10)] + " ", {Role::kAccent});
  const char* const doing = state.phase == Phase::kOpening      ? "opening"
                            : state.phase == Phase::kCompacting ? "compacting"
                            : !state.approvals.empty()          ? "waiting for you"
                                                                : "working";
  line.add(std::string(doing) + " ");
  parts.push_back({std::move(line), 1});
  if (state.phase != Phase::kOpening)
    parts.push_back({Line(" " + brief_time(state.now_ms - state.run.started_ms) + " "), 3});
}

void add_tokens(const State& state, std::vector<Part>& parts) {
  // Four bytes a token until the provider has counted what streams.
  const std::int64_t out = state.run.output_tokens + state.run.streamed_bytes / 4;
  if (state.run.input_tokens == 0 && out == 0) return;
  parts.push_back(
      {Line(" \u2191" + brief_count(state.run.input_tokens) + " \u2193" + brief_count(out) + " ", {Role::kMuted}), 5});
}

}  // namespace

std::string brief_count(std::int64_t count) {
  if (count < 1000) return std::to_string(count);
  char text[32];
  const double value = static_cast<double>(count);
  if (count < 100'000)
    std::snprintf(text, sizeof text, "%.1fk", value / 1e3);
  else if (count < 1'000'000)
    std::snprintf(text, sizeof text, "%.0fk", value / 1e3);
  else
    std::snprintf(text, sizeof text, "%.1fM", value / 1e6);
  return text;
}

std::string brief_time(std::int64_t ms) {
  const std::int64_t seconds = std::max<std::int64_t>(0, ms) / 1000;
  char text[48];
  if (seconds < 60)
    std::snprintf(text, sizeof text, "%ds", static_cast<int>(seconds));
  else if (seconds < 3600)
    std::snprintf(text, sizeof text, "%dm %02ds", static_cast<int>(seconds / 60), static_cast<int>(seconds % 60));
  else
    std::snprintf(text, sizeof text, "%lldh %02dm", static_cast<long long>(seconds / 3600),
                  static_cast<int>(seconds / 60 % 60));
  return text;
}

Line border_line(const State& state, int columns) {
  std::vector<Part> left, right;
  add_activity(state, left);
  add_tokens(state, left);
  add_context(state, right);
  return joined(std::move(left), std::move(right), columns, "\u2500", {Role::kBorder});
}

Line foot_line(const State& state, int columns) {
  std::vector<Part> left, right;
  const Style muted{Role::kMuted};
  const std::string editing = state.editor.status();
  if (!editing.empty()) left.push_back({Line(visible(editing), {Role::kAccent}), 0});
  if (!state.session.model.empty() || !state.session.provider.empty())
    left.push_back({Line(visible(state.session.provider + "/" + state.session.model)), 2});
  if (!state.session.permissions.empty()) left.push_back({Line(visible(state.session.permissions), muted), 3});
  if (!state.session.cwd.empty()) left.push_back({Line(shorten_front(visible(state.session.cwd), 40), muted), 5});
  if (!state.session.stored && state.phase == Phase::kIdle) left.push_back({Line("not stored", {Role::kWarning}), 4});
  const TranscriptPlace place = state.transcript.place();
  if (!place.at_end)
    right.push_back({Line(place.new_below ? "new below \u2193 End" : "End: newest",
                          {place.new_below ? Role::kAccent : Role::kMuted}),
                     1});
  right.push_back({Line(state.transcript_has_keys ? "Esc prompt" : "F1 help", muted), 6});
  return joined(std::move(left), std::move(right), columns, " ", {Role::kText});
}

}  // namespace magi::code::tui
