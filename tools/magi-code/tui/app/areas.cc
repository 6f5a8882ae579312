#include "tools/magi-code/tui/app/areas.h"

#include <algorithm>

namespace magi::code::tui {

Areas divide(int rows, int columns, const Wishes& wishes) {
  int left = rows;
  const auto take = [&left](int wish, int keep) {
    const int taken = std::clamp(wish, 0, std::max(0, left - keep));
    left -= taken;
    return taken;
  };
  // In the order of what people need most where there is little room.
  const int editor = take(wishes.editor, 0);
  const int approval = take(wishes.approval, 0);
  const int border = take(1, 1);
  const int notice = take(wishes.notice, 1);
  const int waiting = take(wishes.waiting, 2);
  const int foot = take(1, 3);
  const int completion = take(wishes.completion, 0);

  Areas areas;
  int row = 0;
  const auto place = [&](int height) {
    const Rect rect{row, 0, height, columns};
    row += height;
    return rect;
  };
  areas.transcript = place(left);
  areas.notice = place(notice);
  areas.waiting = place(waiting);
  areas.approval = place(approval);
  areas.completion = place(completion);
  areas.border = place(border);
  areas.editor = place(editor);
  areas.foot = place(foot);
  areas.card = areas.transcript;
  // A panel may cover all but the prompt; where that is too little, everything.
  areas.panel = areas.transcript;
  if (areas.panel.rows < 6) areas.panel = {0, 0, rows, columns};
  return areas;
}

}  // namespace magi::code::tui
