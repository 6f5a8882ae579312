#include "tools/magi-code/tui/theme/theme.h"

namespace magi::code::tui {
namespace {

// The parameters of one SGR sequence.
class Codes {
 public:
  void add(int code) {
    if (!text_.empty()) text_ += ';';
    text_ += std::to_string(code);
  }
  void add(const Colour& colour, int base) {
    switch (colour.kind) {
      case Colour::Kind::kDefault: return add(base + 9);
      case Colour::Kind::kIndex:
        if (colour.index < 8) return add(base + colour.index);
        if (colour.index < 16) return add(base + 60 + colour.index - 8);
        add(base + 8), add(5), add(colour.index);
        return;
      case Colour::Kind::kRgb: add(base + 8), add(2), add(colour.red), add(colour.green), add(colour.blue); return;
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

constexpr int kForeground = 30, kBackground = 40;

Codes changes(const Look& from, const Look& to) {
  Codes codes;
  // One code ends both bold and dim.
  const bool ends_weight = (from.bold && !to.bold) || (from.dim && !to.dim);
  if (ends_weight) codes.add(22);
  if (to.bold && (!from.bold || ends_weight)) codes.add(1);
  if (to.dim && (!from.dim || ends_weight)) codes.add(2);
  if (from.italic != to.italic) codes.add(to.italic ? 3 : 23);
  if (from.underline != to.underline) codes.add(to.underline ? 4 : 24);
  if (from.reverse != to.reverse) codes.add(to.reverse ? 7 : 27);
  if (from.strike != to.strike) codes.add(to.strike ? 9 : 29);
  if (from.foreground != to.foreground) codes.add(to.foreground, kForeground);
  if (from.background != to.background) codes.add(to.background, kBackground);
  return codes;
}

}  // namespace

void append_sgr(std::string& out, const Look& from, const Look& to) {
  if (from == to) return;
  const std::string step = changes(from, to).text();
  std::string anew = changes({}, to).text();
  if (!anew.empty()) anew.insert(0, "0;");
  out.append("\033[").append(anew.size() < step.size() ? anew : step) += 'm';
}

}  // namespace magi::code::tui
