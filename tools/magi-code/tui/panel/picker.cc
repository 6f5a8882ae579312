#include "tools/magi-code/tui/panel/picker.h"

#include <algorithm>
#include <numeric>

#include "tools/magi-code/tui/panel/fuzzy.h"
#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"
#include "tools/magi-code/tui/text/wrap.h"

namespace magi::code::tui {
namespace {

// Narrower, a preview beside the list leaves neither enough room; lower, one below it.
constexpr int kColumnsForBeside = 72, kRowsForBelow = 14;
// Of a label or text that is searched: titles are shorter, prompts may be whole files.
constexpr std::size_t kSearchedBytes = 2000;

}  // namespace

Picker::Picker(std::string_view filter) : filter_(std::string(filter), 256) {}

void Picker::set_items(std::vector<Item> items) {
  items_ = std::move(items);
  labels_.clear();
  extras_.clear();
  for (const Item& item : items_) {
    labels_.push_back(folded(std::string_view(item.label).substr(0, kSearchedBytes)));
    extras_.push_back(folded(std::string_view(item.extra).substr(0, kSearchedBytes)));
  }
  state_ = State::kReady;
  told_.reset();
  const std::size_t row = list_.selected();
  narrow(false);
  list_.select(row);
}

void Picker::fail(std::string why) {
  state_ = State::kFailed;
  failure_ = std::move(why);
}

void Picker::set_loading() { state_ = State::kLoading; }

void Picker::say(std::string text, bool is_error) {
  message_ = std::move(text);
  message_is_error_ = is_error;
}

void Picker::ask(std::string question, OnAnswer on_yes) {
  question_ = std::move(question);
  on_yes_ = std::move(on_yes);
}

void Picker::ask_text(std::string label, std::string text, OnText on_text) {
  text_label_ = std::move(label);
  text_.set(std::move(text));
  on_text_ = std::move(on_text);
}

std::optional<std::size_t> Picker::selected() const {
  if (state_ != State::kReady || shown_.empty()) return std::nullopt;
  return shown_[list_.selected()];
}

void Picker::select_item(std::size_t item) {
  const auto found = std::find(shown_.begin(), shown_.end(), item);
  if (found != shown_.end()) list_.select(static_cast<std::size_t>(found - shown_.begin()));
}

// `further`: letters were added at the end, so what did not fit before does not fit now.
void Picker::narrow(bool further) {
  const FuzzyQuery query(filter_.text());
  if (!further || shown_.size() > items_.size()) {
    shown_.resize(items_.size());
    std::iota(shown_.begin(), shown_.end(), std::size_t{0});
  }
  if (!query.empty()) {
    std::vector<std::pair<int, std::size_t>> fitting;
    for (const std::size_t item : shown_)
      if (const auto score = query.score(labels_[item], extras_[item])) fitting.emplace_back(*score, item);
    std::sort(fitting.begin(), fitting.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    shown_.clear();
    for (const auto& [score, item] : fitting) shown_.push_back(item);
  }
  list_.resize(shown_.size());
  list_.select(0);
}

Effects Picker::effects_of_move() {
  const auto now = selected();
  if (now == told_) return {};
  told_ = now;
  return moved();
}

PanelAnswer Picker::key_of_dialog(const Key& key) {
  if (on_yes_) {
    const OnAnswer on_yes = std::exchange(on_yes_, nullptr);
    const bool yes = key.code == KeyCode::kText && !key.ctrl && !key.alt && (key.text == "y" || key.text == "Y");
    return yes ? on_yes() : PanelAnswer{};
  }
  if (key.code == KeyCode::kEscape) {
    on_text_ = nullptr;
  } else if (key.code == KeyCode::kEnter) {
    const OnText on_text = std::exchange(on_text_, nullptr);
    return on_text(text_.text());
  } else {
    text_.key(key);
  }
  return {};
}

PanelAnswer Picker::key(const Key& key) {
  message_.clear();
  if (on_yes_ || on_text_) return key_of_dialog(key);
  if (key.code == KeyCode::kEscape) return closed();
  if (auto own = own_key(key, selected())) {
    if (!own->close) {
      Effects more = effects_of_move();
      own->effects.insert(own->effects.end(), std::make_move_iterator(more.begin()),
                          std::make_move_iterator(more.end()));
    }
    return *std::move(own);
  }
  if (key.code == KeyCode::kEnter) {
    if (const auto item = selected()) return chosen(*item);
    return state_ == State::kReady && !filter_.empty() ? chosen_text(filter_.text()) : PanelAnswer{};
  }
  const std::string before = filter_.text();
  if (!list_.key(key, filter_.empty()) && filter_.key(key) && filter_.text() != before && state_ == State::kReady)
    narrow(!before.empty() && filter_.text().starts_with(before) && before.back() != ' ');
  return {false, effects_of_move()};
}

PanelAnswer Picker::paste(const Paste& paste) {
  if (on_yes_) return {};
  if (on_text_) return text_.paste(paste.text), PanelAnswer{};
  filter_.paste(paste.text);
  if (state_ == State::kReady) narrow(false);
  return {false, effects_of_move()};
}

PanelAnswer Picker::mouse(const Mouse& mouse, Rect area) {
  if (on_yes_ || on_text_) return {};
  const Rect list = areas_of(area).list;
  if (mouse.kind == Mouse::Kind::kWheelUp) list_.move(-3);
  if (mouse.kind == Mouse::Kind::kWheelDown) list_.move(3);
  const bool inside = mouse.row >= list.row && mouse.row < list.row + list.rows && mouse.column >= list.column &&
                      mouse.column < list.column + list.columns;
  if (mouse.kind == Mouse::Kind::kPress && inside)
    list_.select(list_.first_of(static_cast<std::size_t>(list.rows)) + static_cast<std::size_t>(mouse.row - list.row));
  return {false, effects_of_move()};
}

Picker::Areas Picker::areas_of(Rect area) const {
  Areas areas;
  const auto take_last = [&](int rows) {
    area.rows -= rows;
    return Rect{area.row + area.rows, area.column, rows, area.columns};
  };
  areas.filter = {area.row, area.column, std::min(1, area.rows), area.columns};
  area.row += areas.filter.rows;
  area.rows -= areas.filter.rows;
  if (area.rows >= 4) areas.hints = take_last(1);
  if (area.rows >= 2 && (!message_.empty() || on_yes_)) areas.message = take_last(1);
  areas.list = area;
  if (!has_preview()) return areas;
  if (area.columns >= kColumnsForBeside) {
    const int columns = area.columns * 2 / 5;
    areas.list.columns = columns;
    areas.preview = {area.row, area.column + columns + 2, area.rows, area.columns - columns - 2};
  } else if (area.rows >= kRowsForBelow) {
    areas.preview = take_last(area.rows / 3);
    areas.list = area;
    --areas.list.rows;
  }
  return areas;
}

void Picker::draw(Surface& surface, Rect area) const {
  surface.fill(area);
  const Areas areas = areas_of(area);
  if (on_text_)
    text_.draw(surface, areas.filter, text_label_ + " ");
  else
    filter_.draw(surface, areas.filter, "> ");
  draw_list(surface, areas.list);
  if (const auto item = selected(); item && areas.preview.rows > 0)
    draw_wrapped(surface, areas.preview, preview(*item));
  if (areas.message.rows > 0) {
    const std::string& text = on_yes_ ? question_ : message_;
    const Style style{on_yes_ ? Role::kWarning : message_is_error_ ? Role::kError : Role::kAccent};
    surface.put(areas.message, areas.message.row, areas.message.column, shorten(visible(text), areas.message.columns),
                style);
  }
  if (on_text_)
    draw_hints(surface, areas.hints, {{"Enter", "done"}, {"Esc", "leave it"}});
  else
    draw_hints(surface, areas.hints, hints());
}

void Picker::draw_list(Surface& surface, Rect area) const {
  if (area.rows < 1) return;
  if (state_ == State::kLoading) return draw_message(surface, area, "loading...", {Role::kMuted});
  if (state_ == State::kFailed) return draw_message(surface, area, failure_, {Role::kError});
  if (items_.empty()) return draw_message(surface, area, empty_text(), {Role::kMuted});
  if (shown_.empty()) return draw_message(surface, area, "nothing fits", {Role::kMuted});
  const std::size_t first = list_.first_of(static_cast<std::size_t>(area.rows));
  for (int row = 0; row < area.rows; ++row) {
    const std::size_t at = first + static_cast<std::size_t>(row);
    if (at >= shown_.size()) break;
    draw_item(surface, {area.row + row, area.column, 1, area.columns}, items_[shown_[at]], at == list_.selected());
  }
}

void Picker::draw_item(Surface& surface, Rect row, const Item& item, bool selected) const {
  const int end = row.column + row.columns;
  surface.put(row, row.row, row.column, item.marked ? "*" : " ", {Role::kAccent, true});
  std::string detail = visible(item.detail);
  if (columns_of(detail) > row.columns / 2)
    detail = row.columns < 24 ? std::string() : shorten(detail, row.columns / 2);
  const int detail_columns = detail.empty() ? 0 : columns_of(detail) + 1;
  const std::string label = shorten(visible(item.label), std::max(0, row.columns - 2 - detail_columns));
  const int begin = row.column + 2;
  surface.put(row, row.row, begin, label, {item.role});
  if (!filter_.empty())
    for (const auto& [from, to] : FuzzyQuery(filter_.text()).matches(folded(label)))
      surface.restyle({row.row, begin + columns_of(std::string_view(label).substr(0, from)), 1,
                       columns_of(std::string_view(label).substr(from, to - from))},
                      {Role::kMatch});
  surface.put(row, row.row, end - detail_columns + 1, detail, {Role::kMuted});
  if (selected) surface.restyle(row, {Role::kSelection});
}

}  // namespace magi::code::tui
