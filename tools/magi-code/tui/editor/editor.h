// The prompt editor.  Pure: keys and pastes in, answers and cells out; no clock, no disk.  Text is UTF-8; the cursor
// stands between grapheme clusters; long pastes stand in it as one chip each, which text() expands.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/editor/completion.h"
#include "tools/magi-code/tui/screen/surface.h"
#include "tools/magi-code/tui/terminal/input_event.h"

namespace magi::code::tui {

// Pastes from this size on become a chip.
inline constexpr std::size_t kChipLines = 10;
inline constexpr std::size_t kChipBytes = 2'000;

struct EditorAnswer {
  enum class Kind : std::uint8_t {
    kIgnored,         // not a key of the editor: Ctrl-C, Esc without anything to close, Page Up, ...
    kHandled,         // draw again
    kSubmit,          // Enter: `text`, expanded; the editor is empty now.  See what_is()
    kEditExternally,  // Ctrl-X Ctrl-E or Ctrl-G: `text` for an external editor; its result goes to set_text()
  } kind = Kind::kIgnored;
  std::string text;
};

// What a text is, by its first character.
enum class PromptKind : std::uint8_t { kPrompt, kSlashCommand, kShell };
PromptKind prompt_kind(std::string_view text);

class EditorState;

class Editor {
 public:
  Editor();
  ~Editor();
  Editor(Editor&&) noexcept;
  Editor& operator=(Editor&&) noexcept;

  // --- What the person does ---
  EditorAnswer key(const Key& key);
  void paste(std::string_view text);
  // A click into the area that draw() was given.
  void click(int row, int column);

  // --- What the app does ---
  std::string text() const;  // expanded
  bool empty() const;
  void set_text(std::string_view text);  // one undoable change, cursor behind it
  void insert(std::string_view text);    // at the cursor, as if typed
  void clear();                          // one undoable change
  // The entries that Up and Ctrl-R go through, oldest first, and one more.
  void set_history(std::vector<std::string> entries);
  void remember(std::string_view entry);
  void use_vi_keys(bool on);
  // Shown in an empty editor.
  void set_placeholder(std::string text);

  // --- Completion ---
  // Set while the cursor stands behind a trigger: give candidates then, at once or later.
  std::optional<CompletionQuery> completion_query() const;
  void set_candidates(char trigger, std::shared_ptr<const Candidates> candidates);
  bool completion_open() const;
  // The rows the list would like, 0: closed; drawn above or below the editor.
  int completion_rows() const;
  void draw_completion(Surface& surface, Rect area) const;

  // --- Drawing ---
  // For this many columns and at most so many rows: the rows that it needs, at least 1.  Keeps the cursor in view.
  int layout(int columns, int most_rows);
  // Requires: layout() with the columns of `area`.  Sets the surface's cursor.
  void draw(Surface& surface, Rect area) const;
  // "insert", "normal", "history search: ..."; empty: nothing to say.
  std::string status() const;

 private:
  std::unique_ptr<EditorState> state_;
};

}  // namespace magi::code::tui
