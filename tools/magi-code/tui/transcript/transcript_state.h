// What stands behind Transcript: cards, lines, windows, search and selection.  Private to transcript/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/magi-code/tui/transcript/card_list.h"
#include "tools/magi-code/tui/transcript/finder.h"
#include "tools/magi-code/tui/transcript/layouter.h"
#include "tools/magi-code/tui/transcript/transcript.h"
#include "tools/magi-code/tui/transcript/viewport.h"

namespace magi::code::tui {

class AllCards : public Pages {
 public:
  AllCards(CardList& cards, Layouter& layouter) : cards_(cards), layouter_(layouter) {}
  std::size_t size() const override { return cards_.size(); }
  Card& card(std::size_t at) override { return cards_[at]; }
  std::vector<Section>& sections(std::size_t at) override { return layouter_.sections(cards_[at]); }

 private:
  CardList& cards_;
  Layouter& layouter_;
};

class OneCard : public Pages {
 public:
  explicit OneCard(Card& card) : card_(card) {}
  std::size_t size() const override { return 1; }
  Card& card(std::size_t) override { return card_; }
  std::vector<Section>& sections(std::size_t) override;

 private:
  Card& card_;
  std::vector<Section> sections_;
  std::uint64_t version_ = 0;
  std::uint32_t texts_ = 0;
};

struct OpenCard {
  OpenCard(Card& card, Layouter& layouter) : pages(card), view(pages, layouter) {}
  OneCard pages;
  Viewport view;
};

struct Selection {
  Spot anchor, cursor;
};

class TranscriptState {
 public:
  TranscriptState() : pages(cards, layouter), view(pages, layouter) {}

  // The window that is seen: of all cards, or of the one that is open.
  Pages& seen_pages() { return open ? static_cast<Pages&>(open->pages) : pages; }
  Viewport& seen() { return open ? open->view : view; }

  Card& add(CardKind kind);
  void changed(Card& card, std::size_t bytes = 0);
  // The answer or the thought that is being written, made where there is none.
  Card& streaming(CardKind kind);
  // What is being written ends so.
  void end_streaming(std::string_view status);
  void end_tools(std::string_view status);
  Card& note(std::string_view level, std::string_view text);
  Card& tool_card(std::string_view call_id);  // made where there is none
  void forget(Card& card);

  void refresh();  // rows and what follows from them, where something changed
  void show_current_match();
  std::optional<std::size_t> foldable() const;
  std::string text_between(const Spot& from, const Spot& to);

  CardList cards;
  Layouter layouter;
  AllCards pages;
  Viewport view;
  std::optional<OpenCard> open;

  int columns = 80, rows = 24, gutter = 2;
  bool dirty = true, new_below = false;
  Card* written = nullptr;     // the answer or thought that is being written
  std::vector<Card*> running;  // tools without an answer
  std::vector<Card*> compactions_running;

  const Card* focus = nullptr;
  Finder finder;
  std::optional<Spot> match_section;  // where the present match stands, and which one of that section it is
  std::uint32_t match = 0;
  std::optional<Selection> selection;
};

// Columns that stand before the text of cards: marks of focus and selection.
int gutter_of(int columns);
// The text of a line without its decoration.
std::string bare_text(const LaidLine& line);
// What a person wants on the clipboard of a whole card.
std::string text_of_card(const Card& card);

}  // namespace magi::code::tui
