// /sessions: the stored sessions, newest first, with the last messages of the selected one.
#include "libcommon/base/utf8.h"
#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/picker.h"
#include "tools/magi-code/tui/text/visible.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kName = "sessions";

std::string label_of(const SessionRow& row) {
  if (!row.title.empty()) return row.title;
  const std::string_view prompt = first_line(row.first_prompt);
  return prompt.empty() ? row.id : std::string(prompt);
}

class SessionsPanel : public Picker {
 public:
  SessionsPanel(std::string_view filter, const PanelContext& context) : Picker(filter), current_(context.session_id) {}

  std::string title() const override { return "Sessions"; }
  Effects opened() override { return {Load{std::string(kName), {}}}; }

  PanelAnswer take(const Loaded& loaded) override {
    if (loaded.panel != kName) return {};
    if (!loaded.data) {
      if (loaded.key.empty() && data_.rows.empty()) fail(loaded.data.error().what);
      say(loaded.data.error().what, true);
      return {};
    }
    if (const auto* sessions = std::get_if<SessionsData>(&*loaded.data)) return show(*sessions);
    if (const auto* preview = std::get_if<SessionPreview>(&*loaded.data)) {
      preview_ = *preview;
      wanted_.clear();
      return {false, moved()};
    }
    return {};
  }

 private:
  PanelAnswer show(const SessionsData& sessions) {
    data_ = sessions;
    std::vector<Item> items;
    for (const SessionRow& row : data_.rows)
      items.push_back({label_of(row), ago(row.order_ms, data_.now_ms), row.first_prompt + ' ' + row.cwd + ' ' + row.id,
                       row.same_worktree ? Role::kText : Role::kMuted, row.id == current_});
    set_items(std::move(items));
    if (!data_.unreadable.empty())
      say(counted(data_.unreadable.size(), "session", "sessions") + " cannot be read: " + data_.unreadable.front(),
          true);
    return {false, moved()};
  }

  Effects moved() override {
    const auto item = selected();
    // One at a time: while one is on its way, only the newest wish is remembered.
    if (!item || !wanted_.empty() || data_.rows[*item].id == preview_.id) return {};
    wanted_ = data_.rows[*item].id;
    return {Load{std::string(kName), wanted_}};
  }

  PanelAnswer chosen(std::size_t item) override {
    const std::string& id = data_.rows[item].id;
    if (id == current_) return {true, {}};
    return {true, {OpenSession{id, false}}};
  }

  std::optional<PanelAnswer> own_key(const Key& key, std::optional<std::size_t> item) override {
    if (!item) return std::nullopt;
    const SessionRow& row = data_.rows[*item];
    if (key.is_ctrl('f')) return PanelAnswer{true, {OpenSession{row.id, true}}};
    if (key.is_ctrl('r')) {
      ask_text("Title:", label_of(row), [id = row.id](std::string text) {
        return PanelAnswer{false, {RenameSession{id, std::move(text)}}};
      });
      return PanelAnswer{};
    }
    if (key.is_ctrl('d')) {
      if (row.id == current_)
        say("the session that is open cannot be deleted", true);
      else
        ask("Delete \"" + label_of(row) + "\" and all that belongs to it, for good? y/N", [id = row.id] {
          return PanelAnswer{false, {DeleteSession{id}}};
        });
      return PanelAnswer{};
    }
    return std::nullopt;
  }

  bool has_preview() const override { return true; }
  std::vector<Line> preview(std::size_t item) const override {
    const SessionRow& row = data_.rows[item];
    std::vector<Line> lines{
        Line(visible(label_of(row)), {Role::kHeading, true}), Line(visible(row.cwd), {Role::kMuted}),
        Line(visible(row.model + "  " + day(row.order_ms) + "  " + size_text(row.bytes)), {Role::kMuted})};
    if (preview_.id != row.id) return lines;
    if (preview_.busy) lines.emplace_back("in use by another process", Style{Role::kWarning});
    for (const SessionPreview::Message& message : preview_.messages) {
      lines.emplace_back();
      bool first = true;
      for (const std::string& text : visible_lines(message.text)) {
        Line line;
        line.add(first ? (message.by_user ? "> " : "  ") : "  ", {Role::kUser});
        lines.push_back(std::move(line.add(text, {message.by_user ? Role::kUser : Role::kAssistant})));
        first = false;
      }
    }
    return lines;
  }

  Hints hints() const override {
    return {{"Enter", "open"}, {"Ctrl-F", "fork"}, {"Ctrl-R", "rename"}, {"Ctrl-D", "delete"}, {"Esc", "close"}};
  }
  std::string_view empty_text() const override { return "no sessions yet"; }

  std::string current_, wanted_;
  SessionsData data_;
  SessionPreview preview_;
};

}  // namespace

PanelPtr make_sessions_panel(std::string_view filter, const PanelContext& context) {
  return std::make_unique<SessionsPanel>(filter, context);
}

}  // namespace magi::code::tui
