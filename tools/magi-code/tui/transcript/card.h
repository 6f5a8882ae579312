// One card of a transcript: a prompt, an answer, a tool's call, a compaction, a note.  Owned by CardList.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/magi-code/tui/transcript/bounded_text.h"
#include "tools/magi-code/tui/transcript/diff_view.h"
#include "tools/magi-code/tui/transcript/laid_line.h"
#include "tools/magi-code/tui/transcript/limits.h"
#include "tools/magi-code/tui/transcript/markdown/splitter.h"

namespace magi::code::tui {

enum class CardKind : std::uint8_t { kPrompt, kAnswer, kReasoning, kTool, kCompaction, kContext, kNote };
enum class Fold : std::uint8_t { kFolded, kPreview, kOpen };

// A part of a card that is laid out alone, with its lines where they are in memory.
struct Section {
  enum class Kind : std::uint8_t {
    kHeader,     // what the card is and how it stands, behind a blank line; `begin` 1: without that
    kBlock,      // a block of Markdown: `begin` counts blocks
    kOpenBlock,  // the unfinished one
    kText,       // plain text: bytes of Card::text
    kLive,       // the end of a running tool's output
    kTail,       // the last lines of Card::text
    kArguments,  // of a tool
    kDiff,       // rows `begin` to `end` of an edit's diff
    kFooter,     // what became of it
  } kind = Kind::kHeader;
  std::size_t begin = 0, end = 0;
  bool settled = true;  // false: may change, lay it out anew
  // Of the last layout.
  int columns = -1;
  std::uint32_t count = 0;
  std::uint64_t version = 0, moment = 0;  // of the card, and of time where it shows time
  std::uint64_t seen = 0;                 // the frame that last needed the lines
  std::unique_ptr<LaidLines> lines;
};

struct ToolFacts {
  std::string call_id, name, intent, arguments, path;
  std::string status;  // "writing", "running", then as in a tool's answer
  std::int64_t started_ms = -1, ended_ms = -1;
  std::optional<std::int64_t> duration_ms, exit_code, omitted_bytes, masked_secrets;
  std::string signal, approval, withheld;
  std::vector<std::int64_t> edit_lines;  // where an edit changed the file, as far as its answer says
  bool is_edit = false, local = false, nested = false, awaits_approval = false;
  BoundedText live{limit::kOutputHead, limit::kOutputTail};
  std::unique_ptr<DiffText> diff;       // of edits, made when it is looked at
  std::int64_t added = 0, removed = 0;  // lines, once the diff was made

  bool running() const { return status == "running" || status == "writing"; }
};

struct CompactionFacts {
  std::string status, trigger, error, evidence;
  std::optional<std::int64_t> generation, tokens_before, tokens_after;
  std::int64_t started_ms = 0;
};

struct Card {
  CardKind kind = CardKind::kNote;
  Fold fold = Fold::kOpen;
  bool shrunk = false;         // its text was cut to make room
  bool has_lines = false;      // some of its sections may hold lines
  bool fold_chosen = false;    // by the person: nothing else folds it
  bool wants_sections = true;  // `sections` do not follow from text, status and fold as they are now
  bool gap = false;            // a blank line stands before it
  std::uint64_t version = 1;   // counts changes
  std::uint32_t texts = 0;     // counts how often the text was replaced, not only added to
  std::string text;            // what was written, or a tool's output
  std::string status;  // of answers: "", "streaming", "completed", "failed", "cancelled", "partial"; prompts: "waiting"
  std::string label;   // of prompts: their origin; of notes: their level
  std::string action_id;  // of steering
  std::unique_ptr<MarkdownSplitter> markdown;
  std::unique_ptr<ToolFacts> tool;
  std::unique_ptr<CompactionFacts> compaction;
  std::vector<Section> sections;

  // The text is another, or the sections are other ones: nothing of what was laid out stands.
  void renew() {
    markdown.reset();
    sections.clear();
    ++texts;
    touch();
  }
  void touch() {
    ++version;
    wants_sections = true;
  }
  bool folds() const {
    return kind == CardKind::kTool || kind == CardKind::kReasoning || kind == CardKind::kCompaction ||
           kind == CardKind::kContext;
  }
};

}  // namespace magi::code::tui
