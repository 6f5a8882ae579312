// Panels driven by keys and looked at as text.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/scratch.h"
#include "tools/magi-code/tui/panel/panels.h"

namespace magi::code::tui::test {

inline Key text_key(std::string text) { return {KeyCode::kText, std::move(text), false, false, false}; }
inline Key ctrl(char c) { return {KeyCode::kText, std::string(1, c), true, false, false}; }
inline Key code(KeyCode code) { return {code, {}, false, false, false}; }

// Types ASCII letter by letter; all effects of it.
inline Effects type(Panel& panel, std::string_view text) {
  Effects all;
  for (const char c : text) {
    PanelAnswer answer = panel.key(text_key(std::string(1, c)));
    all.insert(all.end(), answer.effects.begin(), answer.effects.end());
  }
  return all;
}

template <class E>
const E* find_effect(const Effects& effects) {
  for (const Effect& effect : effects)
    if (const E* found = std::get_if<E>(&effect)) return found;
  return nullptr;
}

// What is drawn, row by row, without blanks at the ends.
inline std::string screen(const Panel& panel, int columns, int rows) {
  Surface surface(rows, columns);
  panel.draw(surface, {0, 0, rows, columns});
  std::string out;
  for (int row = 0; row < rows; ++row) {
    std::string line;
    for (int column = 0; column < columns; ++column) line += surface.at(row, column).cluster;
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

// Compares with tests/unit/tui_panel/screens/NAME-COLUMNSxROWS.txt; MAGI_REGENERATE=1 writes those files, for a person
// to look at.
inline void expect_screens(const Panel& panel, const std::string& name) {
  for (const auto& [columns, rows] : {std::pair{80, 24}, {40, 10}, {20, 5}}) {
    const auto folder = std::filesystem::path(__FILE__).parent_path() / "screens";
    const std::string file = folder / (name + '-' + std::to_string(columns) + 'x' + std::to_string(rows) + ".txt");
    const std::string shown = screen(panel, columns, rows);
    if (std::getenv("MAGI_REGENERATE")) {
      std::filesystem::create_directories(folder);
      magi::test::spill(file, shown, 0644);
    }
    EXPECT_EQ(shown, magi::test::slurp(file)) << file;
  }
}

inline PanelContext context() {
  PanelContext context;
  context.session_id = "s2";
  context.provider = "openai";
  context.model = "gpt-5";
  context.theme = "dark";
  context.themes = {"dark", "light", "high-contrast"};
  context.memory = std::make_shared<PanelMemory>();
  return context;
}

inline Loaded loaded(std::string panel, PanelData data, std::string key = {}) {
  return {std::move(panel), std::move(key), Result<PanelData>(std::move(data))};
}
inline Loaded failed(std::string panel, std::string why, std::string key = {}) {
  return {std::move(panel), std::move(key), Result<PanelData>(Error{ErrorCode::kIo, std::move(why)})};
}

}  // namespace magi::code::tui::test
