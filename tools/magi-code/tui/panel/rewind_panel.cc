// /rewind: first the prompt to go back to, then what is taken back, with the plan before anything is done.
#include <algorithm>
#include <array>

#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/picker.h"
#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kName = "rewind";
constexpr std::string_view kForced = "!";  // behind the event's ID in a Load: conflicts are taken back too

struct Choice {
  std::string_view label;
  bool files, conversation;
};
constexpr std::array kChoices{Choice{"Files and conversation", true, true}, Choice{"Conversation only", false, true},
                              Choice{"Files only", true, false}};

bool is_left(const RewindPlan::File& file) { return file.fate == "conflict" || file.fate == "unavailable"; }

class RewindPanel : public Picker {
 public:
  explicit RewindPanel(const PanelContext& context) : running_(context.turn_running) {}

  std::string title() const override { return target_ ? "Rewind: what is taken back" : "Rewind to before a prompt"; }
  Effects opened() override { return {Load{std::string(kName), {}}}; }

  PanelAnswer take(const Loaded& loaded) override {
    if (loaded.panel != kName) return {};
    if (!loaded.data) {
      if (loaded.key.empty())
        fail(loaded.data.error().what);
      else
        plan_failure_ = loaded.data.error().what;
      return {};
    }
    if (const auto* points = std::get_if<RewindPoints>(&*loaded.data)) show(*points);
    if (const auto* plan = std::get_if<RewindPlan>(&*loaded.data))
      if (target_ && plan->event_id == target_->event_id && plan->force == force_) plan_ = *plan;
    return {};
  }

  void draw(Surface& surface, Rect area) const override {
    if (!target_) return Picker::draw(surface, area);
    surface.fill(area);
    draw_target(surface, area);
  }

 private:
  void show(const RewindPoints& points) {
    now_ms_ = points.now_ms;
    points_.assign(points.points.rbegin(), points.points.rend());
    std::vector<Item> items;
    for (const RewindPoint& point : points_) {
      std::string detail = ago(point.at_ms, now_ms_);
      if (!point.files.empty()) detail = counted(point.files.size(), "file", "files") + "  " + detail;
      std::string extra = point.event_id + ' ' + point.text;
      for (const std::string& file : point.files) extra += ' ' + file;
      items.push_back({point.is_rewind ? "(a rewind)" : std::string(first_line(point.text)), detail, extra,
                       point.is_rewind ? Role::kMuted : Role::kText, false});
    }
    set_items(std::move(items));
  }

  PanelAnswer chosen(std::size_t item) override {
    if (running_) return say("a turn is running: stop it first (Esc in the transcript)", true), PanelAnswer{};
    target_ = points_[item];
    choices_.resize(target_->is_rewind ? 1 : kChoices.size());
    choices_.select(0);
    force_ = false;
    return {false, ask_plan()};
  }

  Effects ask_plan() {
    plan_.reset();
    plan_failure_.clear();
    return {Load{std::string(kName), target_->event_id + std::string(force_ ? kForced : "")}};
  }

  // A rewind has no conversation to go back to.
  const Choice& choice() const { return target_->is_rewind ? kChoices.back() : kChoices[choices_.selected()]; }
  std::size_t left_files() const {
    return plan_ ? static_cast<std::size_t>(std::count_if(plan_->files.begin(), plan_->files.end(), is_left)) : 0;
  }

  std::optional<PanelAnswer> own_key(const Key& key, std::optional<std::size_t>) override {
    if (!target_) return std::nullopt;
    if (choices_.key(key, true)) return PanelAnswer{};
    if (key.code == KeyCode::kLeft || key.code == KeyCode::kBackspace) return target_.reset(), PanelAnswer{};
    if (key.code == KeyCode::kText && !key.ctrl && !key.alt && key.text == "f") {
      force_ = !force_;
      return PanelAnswer{false, ask_plan()};
    }
    // What is done is what was shown.
    if (key.code == KeyCode::kEnter && (plan_ || !choice().files))
      return PanelAnswer{true, {RewindTo{target_->event_id, choice().files, choice().conversation, force_, false}}};
    return PanelAnswer{};
  }

  PanelAnswer closed() override {
    if (!target_) return {true, {}};
    target_.reset();
    return {};
  }

  void draw_target(Surface& surface, Rect area) const {
    const auto row = [&](std::string_view text, Style style) {
      if (area.rows < 1) return;
      surface.put(area, area.row, area.column, shorten(text, area.columns), style);
      ++area.row;
      --area.rows;
    };
    Rect hints{area.row + area.rows - 1, area.column, 1, area.columns};
    if (area.rows >= 4)
      --area.rows;
    else
      hints.rows = 0;
    row("Back to before: " + visible(target_->is_rewind ? "a rewind" : std::string(first_line(target_->text))),
        {Role::kHeading, true});
    const bool is_low = area.rows < 6;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      const bool selected = i == choices_.selected();
      if (is_low && !selected) continue;  // the plan matters more
      const Choice& offered = target_->is_rewind ? kChoices.back() : kChoices[i];
      row(std::string(selected ? "> " : "  ").append(offered.label), {selected ? Role::kSelection : Role::kText});
    }
    std::vector<Line> lines = choice().files ? plan_lines() : std::vector<Line>();
    if (choice().conversation)
      lines.emplace_back("The conversation before it becomes a new session; this one stays.", Style{Role::kMuted});
    draw_wrapped(surface, area, lines);
    draw_hints(surface, hints,
               {{"Enter", "do it"}, {"f", force_ ? "leave conflicts alone" : "force conflicts"}, {"Esc", "back"}});
  }

  std::vector<Line> plan_lines() const {
    if (!plan_failure_.empty()) return {Line(visible(plan_failure_), {Role::kError})};
    if (!plan_) return {Line("looking at the files...", {Role::kMuted})};
    std::vector<Line> lines;
    if (const std::size_t left = left_files(); left > 0)
      lines.emplace_back(counted(left, "file is", "files are") + " left alone: changed by someone else, or not kept",
                         Style{Role::kWarning});
    if (plan_->force)
      lines.emplace_back("Forced: what others changed later is overwritten.", Style{Role::kError, true});
    if (plan_->files.empty()) lines.emplace_back("No tool changed a file since.", Style{Role::kMuted});
    // Conflicts first: they are what needs a decision.
    for (const bool conflicts : {true, false})
      for (const RewindPlan::File& file : plan_->files)
        if (is_left(file) == conflicts) lines.push_back(file_line(file));
    std::string shell = "What shell commands changed is not covered";
    if (plan_->shell_calls > 0) shell += " (" + grouped(plan_->shell_calls) + " ran since)";
    lines.emplace_back(shell + ".", Style{Role::kMuted});
    return lines;
  }

  static Line file_line(const RewindPlan::File& file) {
    const Role role = is_left(file) ? Role::kWarning : file.fate == "unchanged" ? Role::kMuted : Role::kSuccess;
    Line line(pad(file.fate, 12), {role});
    line.add(visible(file.path));
    if (!file.reason.empty()) line.add(": " + visible(file.reason), {Role::kMuted});
    return line;
  }

  bool has_preview() const override { return true; }
  std::vector<Line> preview(std::size_t item) const override {
    const RewindPoint& point = points_[item];
    std::vector<Line> lines;
    for (const std::string& text : visible_lines(std::string_view(point.text).substr(0, 2000)))
      lines.emplace_back(text, Style{Role::kUser});
    lines.emplace_back();
    for (const std::string& file : point.files) lines.emplace_back("  " + visible(file), Style{Role::kMuted});
    if (point.shell_calls > 0)
      lines.emplace_back(counted(static_cast<std::size_t>(point.shell_calls), "shell command", "shell commands"),
                         Style{Role::kMuted});
    return lines;
  }

  Hints hints() const override { return {{"Enter", "choose"}, {"Esc", "close"}}; }
  std::string_view empty_text() const override { return "this session holds no prompt yet"; }

  bool running_, force_ = false;
  std::int64_t now_ms_ = 0;
  std::vector<RewindPoint> points_;  // newest first
  std::optional<RewindPoint> target_;
  ListView choices_;
  std::optional<RewindPlan> plan_;
  std::string plan_failure_;
};

}  // namespace

PanelPtr make_rewind_panel(const PanelContext& context) { return std::make_unique<RewindPanel>(context); }

}  // namespace magi::code::tui
