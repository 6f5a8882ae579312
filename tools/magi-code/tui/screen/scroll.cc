#include "tools/magi-code/tui/screen/scroll.h"

namespace magi::code::tui {
namespace {

// Setting and resetting the region and moving: "ESC [ 10;40 r ESC [ 3 S ESC [ r", and room for doubt.
constexpr int kSequenceBytes = 40;

class Finder {
 public:
  Finder(const std::vector<RowMark>& shown, const std::vector<RowMark>& next) : shown_(shown), next_(next) {}

  Scroll run() {
    const int rows = static_cast<int>(next_.size());
    for (int lines = 1 - rows; lines < rows; ++lines) {
      if (lines != 0) try_lines(lines, rows);
    }
    return best_;
  }

 private:
  bool same(int row) const { return shown(row).hash == next(row).hash; }
  const RowMark& shown(int row) const { return shown_[static_cast<std::size_t>(row)]; }
  const RowMark& next(int row) const { return next_[static_cast<std::size_t>(row)]; }

  // Every run of rows that stand `lines` lower now on the screen than they will.
  void try_lines(int lines, int rows) {
    int begin = -1, end = -1, saved = 0;  // of the run so far, without rows at its ends that save nothing
    for (int row = 0; row <= rows; ++row) {
      const int from = row + lines;
      if (row < rows && from >= 0 && from < rows && next(row).hash == shown(from).hash) {
        if (same(row) || next(row).bytes == 0) continue;
        if (begin < 0) begin = row;
        end = row + 1;
        saved += next(row).bytes;
      } else if (begin >= 0) {
        weigh(lines, begin, end, saved);
        begin = -1, saved = 0;
      }
    }
  }

  void weigh(int lines, int begin, int end, int saved) {
    // Rows of the region that the run does not fill come out blank.
    const int free_begin = lines > 0 ? end : begin + lines, free_end = lines > 0 ? end + lines : begin;
    for (int row = free_begin; row < free_end; ++row) {
      if (same(row)) saved -= next(row).bytes;
    }
    if (saved <= best_saved_) return;
    best_saved_ = saved;
    best_ = lines > 0 ? Scroll{begin, end + lines, lines} : Scroll{begin + lines, end, lines};
  }

  const std::vector<RowMark>& shown_;
  const std::vector<RowMark>& next_;
  Scroll best_;
  int best_saved_ = kSequenceBytes;
};

}  // namespace

Scroll find_scroll(const std::vector<RowMark>& shown, const std::vector<RowMark>& next) {
  return Finder(shown, next).run();
}

}  // namespace magi::code::tui
