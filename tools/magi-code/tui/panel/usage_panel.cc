// /usage: what the session's requests cost, in tokens, by model.
#include "tools/magi-code/tui/panel/factories.h"
#include "tools/magi-code/tui/panel/scroll_view.h"
#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

constexpr std::string_view kName = "usage";

void append_rows(std::vector<Line>& lines, const UsageRow& row) {
  const auto line = [&](std::string_view what, std::int64_t count) {
    if (count == 0) return;
    Line out(pad("  " + std::string(what), 22), {Role::kMuted});
    lines.push_back(std::move(out.add(pad_left(grouped(count), 14))));
  };
  line("requests", row.requests);
  line("tokens in", row.input_tokens);
  line("  from the cache", row.cached_tokens);
  line("  into the cache", row.cache_write_tokens);
  line("tokens out", row.output_tokens);
  line("  reasoning", row.reasoning_tokens);
}

class UsagePanel : public ScrollView {
 public:
  std::string title() const override { return "Usage of this session"; }
  Effects opened() override { return {Load{std::string(kName), {}}}; }
  PanelAnswer take(const Loaded& loaded) override {
    if (loaded.panel != kName) return {};
    if (!loaded.data) return set_message(loaded.data.error().what, true), PanelAnswer{};
    if (const auto* usage = std::get_if<UsageData>(&*loaded.data)) show(*usage);
    return {};
  }

 private:
  void show(const UsageData& usage) {
    if (usage.rows.empty()) return set_message("no request has been counted yet", false);
    std::vector<Line> lines;
    UsageRow total;
    for (const UsageRow& row : usage.rows) {
      lines.emplace_back(visible(row.provider + "  " + row.model), Style{Role::kHeading, true});
      append_rows(lines, row);
      lines.emplace_back();
      total.requests += row.requests;
      total.input_tokens += row.input_tokens;
      total.cached_tokens += row.cached_tokens;
      total.cache_write_tokens += row.cache_write_tokens;
      total.output_tokens += row.output_tokens;
      total.reasoning_tokens += row.reasoning_tokens;
    }
    if (usage.rows.size() > 1) {
      lines.emplace_back("together", Style{Role::kHeading, true});
      append_rows(lines, total);
    }
    set_lines(std::move(lines));
  }
};

}  // namespace

PanelPtr make_usage_panel() { return std::make_unique<UsagePanel>(); }

}  // namespace magi::code::tui
