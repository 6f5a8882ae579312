// The transcript of one session: a list of cards that a run's events and a reopened conversation feed, and the one
// place where it is laid out, drawn, scrolled, searched and copied from.  Pure memory: no I/O, no clock, one thread.
// All texts may be hostile; what is laid out has passed text/visible.h.
//
// Cost: an event costs what it carries; a frame costs what stands in view, whatever the length of the session.  Only
// the unfinished last block of a streamed answer is parsed again.  Memory is bounded: see limits.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/event/answers.h"
#include "libcommon/event/stream.h"
#include "tools/magi-code/loop/run_records.h"
#include "tools/magi-code/tui/screen/surface.h"

namespace magi::code::tui {

class TranscriptState;

// Which part of the transcript is in view; of the whole, lines outside the view are estimated from their bytes.
struct TranscriptPlace {
  std::int64_t first_line = 0, lines = 0;
  bool at_end = true;      // the end is in view and stays there while text arrives
  bool new_below = false;  // something arrived below the view since it left the end
};

struct SearchStatus {
  std::string query;
  std::int64_t matches = 0, current = 0;  // current counts from 1; 0: none
  bool more = false;                      // there are more than were counted
};

class Transcript {
 public:
  Transcript();
  ~Transcript();
  Transcript(Transcript&&) noexcept;
  Transcript& operator=(Transcript&&) noexcept;

  // --- What a run tells, named after loop/sink.h ---
  // The time of what follows, in monotonic milliseconds: elapsed times are counted with it.
  void now(std::int64_t now_ms);
  void session(const SessionRecord& record);
  void turn(const TurnRecord& record);
  void text(std::string_view delta);
  void reasoning(std::string_view delta);
  void attempt(const event::Attempt& attempt);
  void tool_call(const event::ToolCall& call);
  void tool_progress(const event::ToolProgress& progress);
  void tool_result(const event::ToolAnswer& result);
  void automatic_user_prompt(const AutomaticUserPrompt& record);
  void compaction(const CompactionRecord& record);
  void diagnostic(const DiagnosticRecord& record);
  void usage(const event::Usage& usage);
  void approval_request(const ApprovalRequest& request);
  void delivered(const Delivered& record);
  void undelivered(std::string_view text, std::string_view action_id);
  void result(const ResultRecord& record);

  // --- What the person does ---
  // A prompt that begins a turn, shown at once.
  void prompt(std::string_view text);
  // Input for a running turn: waits below everything until delivered(), recalled() or undelivered().
  void steering(std::string_view action_id, std::string_view text);
  void recalled(std::string_view action_id);
  // How the approval of a call was answered: "allow", "allow_session", "allow_pattern" or "deny".
  void approval_answered(std::string_view call_id, std::string_view decision, std::string_view text);
  // `!command`, run locally: a card like a tool's.  tool_progress() and tool_result() with the same ID follow.
  void local_command(std::string_view call_id, std::string_view command);
  // A line from the interface itself; level "info", "warning" or "error".
  void note(std::string_view level, std::string_view text);

  // --- A conversation that is reopened, record by record; other records of the stream show nothing ---
  void history(const event::User& user);
  void history(const event::Assistant& assistant);
  void history(const event::ToolCall& call);
  void history(const event::ToolResult& result);
  void history(const event::Summary& summary);
  void history(const event::Evidence& evidence);
  void history(const event::Context& context);
  void history_ended();

  // --- Laying out and drawing ---
  // The size of the view.  Cheap where nothing changed; position is kept across changes of size.
  void layout(int columns, int rows);
  // The part in view, into rect.  Requires: layout() with the size of rect.
  void draw(Surface& surface, Rect rect) const;
  TranscriptPlace place() const;
  // All lines at the present width, exactly: lays out everything, so for tests and exports.
  std::int64_t count_lines() const;
  // Something moves by itself (a spinner, elapsed seconds): draw again in a while.
  bool animates() const;
  // Frame of spinners; not advanced with reduced motion.
  void spin(std::uint64_t frame);
  bool empty() const;

  // --- Scrolling ---
  void scroll_lines(std::int64_t lines);  // negative: up
  void scroll_pages(int pages);
  void scroll_to_top();
  void scroll_to_end();
  void jump_prompt(int direction);  // -1: to the prompt above, 1: below

  // --- Focus: one card at a time ---
  void focus_next(int direction);
  void focus_at(int row);  // the card that is drawn in this row of the view
  void clear_focus();
  bool has_focus() const;
  // Folds or unfolds the focused card, else the last one that folds.  False: there is none.
  bool toggle_fold();
  void fold_all(bool folded);
  // The focused card (else the last one) alone, all of its lines, with a scroll position of its own.
  bool open_card();
  void close_card();
  bool card_is_open() const;
  // One line about the card that is open, for a title.
  Line card_title() const;

  // --- Search ---
  // Finds as the query grows, from the present view on; an empty query ends the search.  Small letters match both
  // cases.
  void search(std::string_view query);
  void search_step(int direction);  // 1: the next match, -1: the one before; around the ends
  SearchStatus search_status() const;

  // --- Copying ---
  // A cursor line in the view; the selection reaches from where it was started to there.
  void copy_begin();
  void copy_begin_at(int row);
  void copy_move(std::int64_t lines);
  void copy_move_to(int row);
  void copy_anchor();  // starts the selection anew at the cursor
  void copy_end();
  bool copying() const;
  // The selected lines without decoration; of the focused card all, answers as their Markdown source.
  std::string selected_text() const;
  std::string card_text() const;
  // The Markdown source of the newest answer.
  std::string last_answer() const;

 private:
  std::unique_ptr<TranscriptState> state_;
};

}  // namespace magi::code::tui
