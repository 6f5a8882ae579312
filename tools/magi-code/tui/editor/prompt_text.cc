#include "tools/magi-code/tui/editor/prompt_text.h"

#include <algorithm>

#include "libcommon/base/utf8.h"
#include "tools/magi-code/tui/editor/editor.h"
#include "tools/magi-code/tui/text/visible.h"
#include "tools/magi-code/tui/text/width.h"

namespace magi::code::tui {
namespace {

constexpr char kChipMark = '\xFF';
constexpr std::size_t kChipSize = 5;

std::string chip_name(std::size_t number) {
  std::string name(1, kChipMark);
  for (int shift = 18; shift >= 0; shift -= 6) name += static_cast<char>(0x80 | (number >> shift & 0x3F));
  return name;
}

std::size_t chip_number(std::string_view text, std::size_t at) {
  std::size_t number = 0;
  for (std::size_t i = 1; i < kChipSize; ++i) number = number << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  return number;
}

std::string with_commas(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

// No blank that a line could be broken at.
constexpr std::string_view kFixedBlank = "\xC2\xA0";

std::string label_of(std::string_view text) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + !text.ends_with('\n');
  const bool by_lines = lines >= kChipLines;
  const std::size_t number = by_lines ? lines : text.size();
  return std::string("[pasted").append(kFixedBlank) + with_commas(number).append(kFixedBlank) +
         (by_lines ? "lines]" : "bytes]");
}

// Line ends as LF, valid, without NUL, which nothing that reads prompts takes.
std::string cleaned(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\0') continue;
    if (text[at] == '\r') {
      if (at + 1 == text.size() || text[at + 1] != '\n') out += '\n';
    } else {
      out += text[at];
    }
  }
  return utf8::is_valid(out) ? out : utf8::sanitize(out);
}

bool is_word_byte(unsigned char c) {
  return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

}  // namespace

std::string PromptText::piece_of(std::string_view text) {
  std::string clean = cleaned(text);
  const auto line_ends = static_cast<std::size_t>(std::count(clean.begin(), clean.end(), '\n'));
  if (clean.size() < kChipBytes && line_ends < kChipLines) return clean;
  std::string label = label_of(clean);
  chips_.push_back({std::move(clean), std::move(label)});
  return chip_name(chips_.size() - 1);
}

std::string PromptText::expand(std::string_view piece) const {
  std::string out;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t chip = std::min(piece.find(kChipMark, at), piece.size());
    out.append(piece.substr(at, chip - at));
    if (chip == piece.size()) break;
    out += chip_at(piece, chip).text;
    at = chip + kChipSize;
  }
  return out;
}

const PromptText::Chip& PromptText::chip_at(std::string_view text, std::size_t at) const {
  return chips_[chip_number(text, at)];
}

void PromptText::keep_only(const std::vector<std::string_view>& pieces) {
  std::vector<bool> used(chips_.size());
  for (const std::string_view piece : pieces) {
    for (std::size_t at = piece.find(kChipMark); at != std::string_view::npos; at = piece.find(kChipMark, at + 1)) {
      used[chip_number(piece, at)] = true;
    }
  }
  for (std::size_t i = 0; i < chips_.size(); ++i) {
    if (!used[i]) chips_[i] = {};
  }
  while (!used.empty() && !used.back()) {
    used.pop_back();
    chips_.pop_back();
  }
}

bool PromptText::is_chip(std::size_t at) const { return at < raw_.size() && raw_[at] == kChipMark; }

std::size_t PromptText::next(std::size_t at) const {
  if (at >= raw_.size()) return raw_.size();
  return at + (is_chip(at) ? kChipSize : cluster_at(raw_, at).bytes);
}

std::size_t PromptText::before(std::size_t at) const {
  if (at >= kChipSize && is_chip(at - kChipSize)) return at - kChipSize;
  return cluster_before(raw_, at);
}

std::string PromptText::shown(std::size_t at, std::size_t end) const {
  // Unit by unit: what a part looks like does not depend on what stands around it.
  std::string out;
  while (at < end) {
    const std::size_t after = next(at);
    if (is_chip(at)) {
      out += chip_at(raw_, at).label;
    } else if (after == at + 1 && raw_[at] >= ' ' && raw_[at] <= '~') {
      out += raw_[at];
    } else {
      out += visible(std::string_view(raw_).substr(at, after - at));
    }
    at = after;
  }
  return out;
}

std::size_t PromptText::line_begin(std::size_t at) const {
  const std::size_t end = at == 0 ? std::string::npos : raw_.rfind('\n', at - 1);
  return end == std::string::npos ? 0 : end + 1;
}

std::size_t PromptText::line_end(std::size_t at) const { return std::min(raw_.find('\n', at), raw_.size()); }

int PromptText::kind_at(std::size_t at) const {
  if (at >= raw_.size()) return 0;
  if (is_chip(at)) return 3;
  const auto c = static_cast<unsigned char>(raw_[at]);
  if (c == ' ' || c == '\n' || c == '\t') return 0;
  return is_word_byte(c) ? 2 : 1;
}

std::size_t PromptText::word_begin_before(std::size_t at, bool by_blanks) const {
  const int least = by_blanks ? 1 : 2;
  while (at > 0 && kind_at(before(at)) < least) at = before(at);
  if (at > 0 && kind_at(before(at)) == 3) return before(at);
  while (at > 0 && kind_at(before(at)) >= least && kind_at(before(at)) != 3) at = before(at);
  return at;
}

std::size_t PromptText::word_end_after(std::size_t at, bool by_blanks) const {
  const int least = by_blanks ? 1 : 2;
  while (at < size() && kind_at(at) < least) at = next(at);
  if (kind_at(at) == 3) return next(at);
  while (at < size() && kind_at(at) >= least && kind_at(at) != 3) at = next(at);
  return at;
}

}  // namespace magi::code::tui
