#include "tools/magi-assess/fold.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "libcommon/base/utf8.h"

namespace magi::assess {
namespace {

struct LookAlike {
  char32_t from;
  char to;
};
// Letters of the Cyrillic, Greek, Armenian and Cherokee alphabets and others that are drawn like Latin ones, sorted.
// Lower case: what comes here has been folded.
constexpr LookAlike kLookAlikes[] = {
    {0x131, 'i'},  {0x1C0, 'l'},  {0x251, 'a'},  {0x261, 'g'},  {0x269, 'i'},  {0x280, 'r'},  {0x28F, 'y'},
    {0x3B1, 'a'},  {0x3B2, 'b'},  {0x3B3, 'y'},  {0x3B5, 'e'},  {0x3B7, 'n'},  {0x3B9, 'i'},  {0x3BA, 'k'},
    {0x3BD, 'v'},  {0x3BF, 'o'},  {0x3C1, 'p'},  {0x3C3, 'o'},  {0x3C4, 't'},  {0x3C5, 'u'},  {0x3C7, 'x'},
    {0x3C9, 'w'},  {0x3F2, 'c'},  {0x3F3, 'j'},  {0x430, 'a'},  {0x432, 'b'},  {0x433, 'r'},  {0x435, 'e'},
    {0x43A, 'k'},  {0x43C, 'm'},  {0x43D, 'h'},  {0x43E, 'o'},  {0x43F, 'n'},  {0x440, 'p'},  {0x441, 'c'},
    {0x442, 't'},  {0x443, 'y'},  {0x445, 'x'},  {0x44A, 'b'},  {0x44C, 'b'},  {0x455, 's'},  {0x456, 'i'},
    {0x458, 'j'},  {0x475, 'v'},  {0x4AF, 'y'},  {0x4BB, 'h'},  {0x4C0, 'l'},  {0x4CF, 'l'},  {0x501, 'd'},
    {0x51B, 'q'},  {0x51D, 'w'},  {0x561, 'w'},  {0x563, 'q'},  {0x566, 'q'},  {0x570, 'h'},  {0x578, 'n'},
    {0x57D, 'u'},  {0x581, 'g'},  {0x584, 'f'},  {0x585, 'o'},  {0x1D04, 'c'}, {0x1D0F, 'o'}, {0x1D1C, 'u'},
    {0x1D20, 'v'}, {0x1D21, 'w'}, {0x1D22, 'z'}, {0xAB7A, 'r'},
};

char look_alike(char32_t c) {
  const auto* const found =
      std::lower_bound(std::begin(kLookAlikes), std::end(kLookAlikes), c,
                       [](const LookAlike& entry, char32_t wanted) { return entry.from < wanted; });
  return found != std::end(kLookAlikes) && found->from == c ? found->to : '\0';
}

// The letter that a digit or sign stands for inside a word; 0 where it is none.
char letter_of_sign(char c) {
  switch (c) {
    case '0': return 'o';
    case '1': return 'i';
    case '3': return 'e';
    case '4': return 'a';
    case '5': return 's';
    case '7': return 't';
    case '$': return 's';
    default: return '\0';
  }
}

bool is_ascii_letter(char32_t c) { return c >= 'a' && c <= 'z'; }
bool is_blank(char32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == 0xA0; }

bool is_invisible(char32_t c) {
  return c == 0xAD || c == 0x34F || c == 0x61C || c == 0x115F || c == 0x1160 || (c >= 0x17B4 && c <= 0x17B5) ||
         (c >= 0x180B && c <= 0x180E) || (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0x3164 || c == 0xFEFF || c == 0xFFA0 || (c >= 0xFE00 && c <= 0xFE0F) ||
         (c >= 0xE0000 && c <= 0xE0FFF);
}

// Ones that ordinary text needs: emoji and some scripts join with these, and a byte order mark begins files.
bool is_ordinary(char32_t c, std::size_t at) {
  return c == 0xAD || c == 0x200C || c == 0x200D || c == 0x200E || c == 0x200F || (c >= 0xFE00 && c <= 0xFE0F) ||
         (c == 0xFEFF && at == 0);
}

struct Unit {
  char32_t c;
  std::uint32_t origin;
};

class Folder {
 public:
  explicit Folder(std::string_view source) : source_(source) {
    out_.text.reserve(source.size());
    out_.origin.reserve(source.size() + 1);
  }

  Folded run() {
    for (std::size_t at = 0; at < source_.size();) {
      const auto byte = static_cast<unsigned char>(source_[at]);
      const utf8::Decoded decoded = byte < 0x80 ? utf8::Decoded{byte, 1, true} : utf8::decode(source_, at);
      take(decoded.code_point, static_cast<std::uint32_t>(at));
      at += decoded.length;
    }
    end_word();
    end_spaced();
    out_.origin.push_back(static_cast<std::uint32_t>(source_.size()));
    return std::move(out_);
  }

 private:
  void take(char32_t c, std::uint32_t at) {
    if (c < 0x80) {
      const auto lower = static_cast<char32_t>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
      return put(lower, at);
    }
    if (c >= 0xE0020 && c <= 0xE007E) {
      out_.invisible.push_back(at);
      return take(c - 0xE0000, at);
    }
    if (is_invisible(c)) {
      if (!is_ordinary(c, at)) out_.invisible.push_back(at);
      return;
    }
    constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK |
                                                             UTF8PROC_DECOMPOSE | UTF8PROC_IGNORE);
    std::array<utf8proc_int32_t, 24> parts;
    int boundary = 0;
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts.data(), parts.size(), kOptions, &boundary);
    if (count < 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) return put(c, at);
    for (utf8proc_ssize_t i = 0; i < count; ++i) put(static_cast<char32_t>(parts[static_cast<std::size_t>(i)]), at);
  }

  void put(char32_t c, std::uint32_t at) {
    const bool in_word = c >= 0x80 ? !is_blank(c) && c != 0x3000 && !(c >= 0x2000 && c <= 0x206F)
                                   : is_ascii_letter(c) || (c >= '0' && c <= '9') || c == '$' || c == '\'';
    if (in_word) {
      word_.push_back({c, at});
      if (word_.size() >= kLongestWord) end_word();
      return;
    }
    end_word();
    if (c == '\n') return separate('\n', at);
    if (is_blank(c) || (c >= 0x2000 && c <= 0x200A) || c == 0x3000) return separate(' ', at);
    separate(c, at);
  }

  // Letters that stand alone between equal signs ("i g n o r e", "i.g.n.o.r.e") are one word.
  void separate(char32_t sign, std::uint32_t at) {
    if (!spaced_.empty() && spaced_pending_ == 0 && (spaced_.size() < 2 || sign == spaced_sign_)) {
      spaced_sign_ = sign;
      spaced_pending_ = 1;
      spaced_pending_at_ = at;
      return;
    }
    end_spaced();
    emit(sign, at);
  }

  void end_word() {
    if (word_.empty()) return;
    const bool single = word_.size() == 1 && (is_ascii_letter(word_[0].c) || word_[0].c >= 0x80);
    if (single && word_[0].c < 0x3000 && (spaced_.empty() || spaced_pending_ == 1)) {
      spaced_.push_back(word_[0]);
      spaced_pending_ = 0;
      word_.clear();
      return;
    }
    end_spaced();
    fold_word();
    for (const Unit& unit : word_) emit(unit.c, unit.origin);
    word_.clear();
  }

  void end_spaced() {
    if (spaced_.empty()) return;
    const bool joined = spaced_.size() >= kSpacedLetters;
    std::vector<Unit> letters = std::move(spaced_);
    spaced_.clear();
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (i > 0 && !joined) emit(spaced_sign_, letters[i].origin - 1);
      emit(letters[i].c, letters[i].origin);
    }
    if (spaced_pending_ == 1) emit(spaced_sign_, spaced_pending_at_);
    spaced_pending_ = 0;
  }

  void fold_word() {
    bool latin = false, other = false, sign = false;
    for (const Unit& unit : word_) {
      if (is_ascii_letter(unit.c)) latin = true;
      if (unit.c >= 0x80 && look_alike(unit.c)) other = true;
      if (unit.c < 0x80 && letter_of_sign(static_cast<char>(unit.c))) sign = true;
    }
    if (!latin || !(other || sign)) return;
    const auto letters = std::count_if(word_.begin(), word_.end(), [](const Unit& u) { return is_ascii_letter(u.c); });
    // "sha256" and "x86" are what they are: signs inside a word count, digits at its end do not.
    const bool disguised = sign && letters >= 2 && is_ascii_letter(word_.back().c);
    for (Unit& unit : word_) {
      if (const char plain = unit.c >= 0x80 ? look_alike(unit.c) : '\0') unit.c = static_cast<unsigned char>(plain);
      if (!disguised || unit.c >= 0x80) continue;
      if (const char plain = letter_of_sign(static_cast<char>(unit.c))) unit.c = static_cast<unsigned char>(plain);
    }
  }

  void emit(char32_t c, std::uint32_t at) {
    if (c == ' ' && (out_.text.empty() || out_.text.back() == ' ' || out_.text.back() == '\n')) return;
    if (c == '\n' && !out_.text.empty() && out_.text.back() == ' ') {
      out_.text.pop_back();
      out_.origin.pop_back();
    }
    const std::size_t before = out_.text.size();
    if (c < 0x80)
      out_.text += static_cast<char>(c);
    else
      utf8::append(out_.text, c);
    out_.origin.insert(out_.origin.end(), out_.text.size() - before, at);
  }

  static constexpr std::size_t kLongestWord = 256, kSpacedLetters = 4;

  std::string_view source_;
  Folded out_;
  std::vector<Unit> word_, spaced_;
  char32_t spaced_sign_ = ' ';
  int spaced_pending_ = 0;
  std::uint32_t spaced_pending_at_ = 0;
};

}  // namespace

Folded fold(std::string_view text) { return Folder(text).run(); }

}  // namespace magi::assess
