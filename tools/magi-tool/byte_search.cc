#include "tools/magi-tool/byte_search.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace magi::toolbox {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// How common a byte is in source code, by kind and by the order of letters in English text: larger is more common.
int frequency(char c) {
  constexpr std::string_view kLetters = "zqjxkvbywgpfmucdlhrsnioate";  // from the rarest
  if (c == ' ') return 255;
  if (c == 'e' || c == 't' || c == '\t') return 230;
  if (c >= 'a' && c <= 'z') return 120 + 4 * static_cast<int>(kLetters.find(c));
  if (std::string_view("_.,()-=/*;:\"'").find(c) != kNone) return 130;
  if (is_digit(c)) return 110;
  if (c >= 'A' && c <= 'Z') return 60 + static_cast<int>(kLetters.find(lower(c)));
  return 50;
}

// Reads an expression from the left and keeps the longest run of characters that stand for themselves.  What it does
// not know ends the reading: nothing is required then.
class LiteralReader {
 public:
  LiteralReader(std::string_view pattern, bool any_case) : rest_(pattern), any_case_(any_case) {}

  std::optional<Literal> read() {
    while (!rest_.empty())
      if (!step()) return std::nullopt;
    end_run(false);
    if (best_.empty()) return std::nullopt;
    return Literal{best_, any_case_, plain_ && !any_case_};
  }

 private:
  void end_run(bool drop_last) {
    if (drop_last) {
      // A whole character, which may have several bytes.
      while (!run_.empty() && (static_cast<unsigned char>(run_.back()) & 0xc0) == 0x80) run_.pop_back();
      if (!run_.empty()) run_.pop_back();
    }
    if (run_.size() > best_.size()) best_ = run_;
    run_.clear();
  }
  bool take_class() {
    std::size_t at = 1;
    if (at < rest_.size() && rest_[at] == '^') ++at;
    if (at < rest_.size() && rest_[at] == ']') ++at;
    for (; at < rest_.size() && rest_[at] != ']'; ++at) {
      if (rest_[at] == '\\') ++at;
      if (rest_.substr(at).starts_with("[:"))
        if (const std::size_t end = rest_.find(":]", at); end != kNone) at = end + 1;
    }
    if (at >= rest_.size()) return false;
    rest_.remove_prefix(at + 1);
    return true;
  }
  bool take_group() {
    if (rest_.starts_with("(?") && !rest_.starts_with("(?:") && !rest_.starts_with("(?P<")) return false;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != ')') {
      const char c = rest_.front();
      if (c == '(' ? !take_group() : c == '[' ? !take_class() : false) return false;
      if (c == '(' || c == '[') continue;
      if (c == '\\' && rest_.size() > 1) {
        if (rest_[1] == 'Q') return false;
        rest_.remove_prefix(1);
      }
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_escape() {
    if (rest_.size() < 2) return false;
    const char c = rest_[1];
    rest_.remove_prefix(2);
    if (std::string_view("bBdDsSwWAz").find(c) != kNone) {
      plain_ = false;
      end_run(false);
      return true;
    }
    if (is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80) return false;
    take_character(c);
    return true;
  }
  // K and S have relatives outside ASCII that a comparison without case takes for the same.
  void take_character(char c) {
    if (any_case_ && (static_cast<unsigned char>(c) >= 0x80 || lower(c) == 'k' || lower(c) == 's'))
      end_run(false);
    else
      run_ += any_case_ ? lower(c) : c;
  }
  bool step() {
    const char c = rest_.front();
    constexpr std::string_view kSpecial = "|([\\*?{+.^$";
    if (kSpecial.find(c) != kNone && c != '\\') plain_ = false;
    switch (c) {
      case '|':
      case ')': return false;
      case '(': end_run(false); return take_group();
      case '[': end_run(false); return take_class();
      case '\\': return take_escape();
      case '{':
        end_run(true);
        if (const std::size_t end = rest_.find('}'); end != kNone && rest_.find_first_not_of("0123456789,", 1) == end)
          rest_.remove_prefix(end);
        break;
      case '*':
      case '?': end_run(true); break;
      case '+':
      case '.':
      case '^':
      case '$': end_run(false); break;
      default: take_character(c);
    }
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
  bool any_case_, plain_ = true;
  std::string run_, best_;
};

using Lanes __attribute__((vector_size(16))) = unsigned char;

}  // namespace

std::size_t count_lines(std::string_view text) {
  constexpr std::size_t kWidth = sizeof(Lanes);
  constexpr std::size_t kMostRounds = 255;  // a lane counts no further
  std::size_t count = 0, at = 0;
  while (text.size() - at >= kWidth) {
    const std::size_t rounds = std::min(kMostRounds, (text.size() - at) / kWidth);
    Lanes sums{};
    for (std::size_t round = 0; round < rounds; ++round, at += kWidth) {
      Lanes bytes;
      std::memcpy(&bytes, text.data() + at, kWidth);
      sums -= static_cast<Lanes>(bytes == '\n');
    }
    for (std::size_t lane = 0; lane < kWidth; ++lane) count += sums[lane];
  }
  for (; at < text.size(); ++at) count += text[at] == '\n';
  return count;
}

std::optional<Literal> required_literal(std::string_view pattern, bool ignore_case) {
  if (pattern.starts_with("(?i)")) {
    pattern.remove_prefix(4);
    ignore_case = true;
  }
  return LiteralReader(pattern, ignore_case).read();
}

LiteralFinder::LiteralFinder(Literal literal) : literal_(std::move(literal)) {
  const std::string& text = literal_.text;
  for (std::size_t at = 1; at < text.size(); ++at)
    if (frequency(text[at]) < frequency(text[rare_])) rare_ = at;
  rare_byte_ = rare_other_ = text[rare_];
  if (literal_.any_case && is_letter(rare_byte_)) rare_other_ = static_cast<char>(rare_byte_ ^ 0x20);
}

bool LiteralFinder::stands_at(std::string_view text, std::size_t at) const {
  if (!literal_.any_case) return std::memcmp(text.data() + at, literal_.text.data(), literal_.text.size()) == 0;
  return std::equal(literal_.text.begin(), literal_.text.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char want, char have) { return want == lower(have); });
}

std::size_t LiteralFinder::find(std::string_view text, std::size_t from) const {
  const std::size_t size = literal_.text.size();
  if (text.size() < size) return kNone;
  const std::size_t end = text.size() - size + rare_ + 1;  // behind the last place of the rare byte
  const auto next = [&](char byte, std::size_t at) {
    if (at >= end) return end;
    const void* const found = std::memchr(text.data() + at, byte, end - at);
    return found == nullptr ? end : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
  };
  std::size_t at = from + rare_;
  std::size_t one = next(rare_byte_, at);
  std::size_t other = rare_other_ == rare_byte_ ? end : next(rare_other_, at);
  while ((at = std::min(one, other)) < end) {
    if (stands_at(text, at - rare_)) return at - rare_;
    if (at == one) one = next(rare_byte_, at + 1);
    if (at == other) other = next(rare_other_, at + 1);
  }
  return kNone;
}

}  // namespace magi::toolbox
