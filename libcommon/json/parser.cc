// The only file that includes simdjson.  Its first stage (where values begin, whether the text is UTF-8, whether strings
// are closed and free of control characters) does the scanning; the grammar is walked over its index here, because
// neither of simdjson's own front ends keeps source text, duplicates and lone surrogates.
#include <simdjson.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "libcommon/json/node.h"

namespace magi::json {
namespace {

static_assert(kPadding >= simdjson::SIMDJSON_PADDING);

Error bad(std::string_view why) { return make_error(ErrorCode::kBadRecord, "not valid JSON: ", why); }

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

enum class Escapes { kInvalid, kNone, kSimple, kUnicode };

#if defined(__SSE2__)
std::uint64_t backslashes16(const char* from) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
}
#else
std::uint64_t backslashes16(const char* from) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 16; ++i)
    if (from[i] == '\\') bits |= std::uint64_t{1} << i;
  return bits;
}
#endif

// Bit i stands for byte i of 64.
std::uint64_t backslashes64(const char* from) {
  return backslashes16(from) | backslashes16(from + 16) << 16 | backslashes16(from + 32) << 32 |
         backslashes16(from + 48) << 48;
}

// Of the character behind a backslash: 0 none is an escape, 1 a simple one, 2 \uXXXX.
constexpr std::array<std::uint8_t, 256> escape_kinds() {
  std::array<std::uint8_t, 256> kinds{};
  for (const char c : {'n', '"', 't', '\\', 'r', 'b', 'f', '/'}) kinds[static_cast<unsigned char>(c)] = 1;
  kinds['u'] = 2;
  return kinds;
}
constexpr auto kEscapeKinds = escape_kinds();

// The bytes that a backslash escapes.  `carry`: the byte before the first is one that escapes; set for the byte behind
// the last.  A run of backslashes escapes every second byte from its second on; one addition finds the ends of all runs.
std::uint64_t escaped_bytes(std::uint64_t backslash, std::uint64_t& carry) {
  constexpr std::uint64_t kEven = 0x5555555555555555;
  backslash &= ~carry;
  const std::uint64_t follows = backslash << 1 | carry;
  const std::uint64_t odd_starts = backslash & ~kEven & ~follows;
  const std::uint64_t run_ends = odd_starts + backslash;
  carry = run_ends < odd_starts ? 1 : 0;
  return (kEven ^ (run_ends << 1)) & follows;
}

bool has_hex4(std::string_view s, std::size_t at) {
  if (at + 4 > s.size()) return false;
  return is_hex(s[at]) && is_hex(s[at + 1]) && is_hex(s[at + 2]) && is_hex(s[at + 3]);
}

// The structural scan does not look at escapes, so each is checked here: tool output is full of them, keys have none.
// Requires: kPadding readable bytes behind `s`.
Escapes check_escapes(std::string_view s) {
  static_assert(kPadding >= 64);
  std::uint64_t carry = 0;
  bool any = false, unicode = false;
  for (std::size_t at = 0; at < s.size(); at += 64) {
    const std::size_t rest = s.size() - at;
    const std::uint64_t inside = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
    const std::uint64_t backslashes = backslashes64(s.data() + at) & inside;
    if (!(backslashes | carry)) continue;
    any = true;
    const std::uint64_t escaped = escaped_bytes(backslashes, carry);
    if (escaped & ~inside) return Escapes::kInvalid;
    for (std::uint64_t left = escaped; left; left &= left - 1) {
      const std::size_t which = at + static_cast<std::size_t>(std::countr_zero(left));
      const std::uint8_t kind = kEscapeKinds[static_cast<unsigned char>(s[which])];
      if (kind == 1) continue;
      if (kind == 0 || !has_hex4(s, which + 1)) return Escapes::kInvalid;
      unicode = true;
    }
  }
  if (carry) return Escapes::kInvalid;
  return unicode ? Escapes::kUnicode : any ? Escapes::kSimple : Escapes::kNone;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number grammar of RFC 8259, section 6.
bool is_number(std::string_view s) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < s.size() && is_digit(s[at])) ++at;
    return at > first;
  };
  if (at < s.size() && s[at] == '-') ++at;
  if (at < s.size() && s[at] == '0') ++at;
  else if (!digits()) return false;
  if (at < s.size() && s[at] == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (at < s.size() && (s[at] == 'e' || s[at] == 'E')) {
    ++at;
    if (at < s.size() && (s[at] == '+' || s[at] == '-')) ++at;
    if (!digits()) return false;
  }
  return at == s.size();
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The grammar of RFC 8259 over the structural index, writing one Entry a value.
class Grammar {
 public:
  Grammar(std::string_view text, const std::uint32_t* index, std::uint32_t count, std::vector<Entry>& entries)
      : text_(text), index_(index), count_(count), entries_(entries), first_(entries.size()) {}

  Result<void> run() {
    MAGI_CHECK(value(0));
    if (at_ != count_) return bad("text after the value");
    return {};
  }

 private:
  bool at_end() const { return at_ >= count_; }
  char peek() const { return at_end() ? '\0' : text_[index_[at_]]; }
  const char* here() const { return text_.data() + index_[at_]; }

  // The token at the cursor without the white space behind it: up to the next structural position.
  std::string_view token() const {
    const std::size_t begin = index_[at_];
    std::size_t end = at_ + 1 < count_ ? index_[at_ + 1] : text_.size();
    while (end > begin && is_space(text_[end - 1])) --end;
    return text_.substr(begin, end - begin);
  }

  Result<void> value(int depth) {
    if (depth > kMaxDepth) return bad("nested too deeply");
    if (entries_.size() - first_ > kMaxValues) return bad("too many values");
    switch (peek()) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': return string();
      default: return scalar();
    }
  }

  Result<void> string() {
    if (peek() != '"') return bad("a string is missing");
    const std::string_view raw = token();
    if (raw.size() < 2 || raw.back() != '"') return bad("text behind a string");
    const Escapes escapes = check_escapes(raw.substr(1, raw.size() - 2));
    if (escapes == Escapes::kInvalid) return bad("invalid escape in a string");
    leaf(raw, Kind::kString, escapes != Escapes::kNone, escapes == Escapes::kUnicode);
    return {};
  }

  Result<void> scalar() {
    if (at_end()) return bad("a value is missing");
    const std::string_view raw = token();
    if (raw == "null") leaf(raw, Kind::kNull);
    else if (raw == "true" || raw == "false") leaf(raw, Kind::kBoolean);
    else if (is_number(raw)) leaf(raw, Kind::kNumber);
    else return bad("neither a number nor a known word");
    return {};
  }

  void leaf(std::string_view raw, Kind kind, bool has_escape = false, bool has_unicode_escape = false) {
    const auto next = static_cast<std::uint32_t>(entries_.size() + 1);
    entries_.push_back({raw.data(), static_cast<std::uint32_t>(raw.size()), next, kind, has_escape, has_unicode_escape});
    ++at_;
  }

  std::size_t open(Kind kind) {
    entries_.push_back({here(), 0, 0, kind, false, false});
    ++at_;
    return entries_.size() - 1;
  }
  void close(std::size_t entry) {
    entries_[entry].size = static_cast<std::uint32_t>(here() + 1 - entries_[entry].begin);
    entries_[entry].next = static_cast<std::uint32_t>(entries_.size());
    ++at_;
  }

  Result<void> object(int depth) {
    const std::size_t entry = open(Kind::kObject);
    if (peek() == '}') return close(entry), Result<void>{};
    while (true) {
      MAGI_CHECK(string());
      if (peek() != ':') return bad("a colon is missing");
      ++at_;
      MAGI_CHECK(value(depth + 1));
      if (peek() == '}') return close(entry), Result<void>{};
      if (peek() != ',') return bad("an object is not closed");
      ++at_;
    }
  }

  Result<void> array(int depth) {
    const std::size_t entry = open(Kind::kArray);
    if (peek() == ']') return close(entry), Result<void>{};
    while (true) {
      MAGI_CHECK(value(depth + 1));
      if (peek() == ']') return close(entry), Result<void>{};
      if (peek() != ',') return bad("an array is not closed");
      ++at_;
    }
  }

  std::string_view text_;
  const std::uint32_t* index_;
  std::uint32_t count_;
  std::uint32_t at_ = 0;
  std::vector<Entry>& entries_;
  std::size_t first_;
};

std::string_view scan_failure(simdjson::error_code code) {
  switch (code) {
    case simdjson::EMPTY: return "empty";
    case simdjson::UTF8_ERROR: return "not UTF-8";
    case simdjson::UNCLOSED_STRING: return "a string is not closed";
    case simdjson::UNESCAPED_CHARS: return "a control character in a string";
    case simdjson::CAPACITY: return "too long";
    case simdjson::MEMALLOC: return "out of memory";
    default: return "malformed";
  }
}

}  // namespace

struct Parser::Impl {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> scanner;
  std::size_t capacity = 0;
  std::vector<Entry> entries;
  std::string copy;

  // The index costs four bytes a byte of text, touched only as far as it fills; it grows by doubling.
  simdjson::error_code reserve(std::size_t bytes) {
    if (scanner && bytes <= capacity) return simdjson::SUCCESS;
    std::size_t wanted = capacity ? capacity : 16 * 1024;
    while (wanted < bytes) wanted *= 2;
    if (!scanner) {
      capacity = wanted;
      return simdjson::get_active_implementation()->create_dom_parser_implementation(wanted, 1, scanner);
    }
    capacity = wanted;
    return scanner->set_capacity(wanted);
  }

  Result<void> parse(std::string_view text, std::vector<Entry>& onto) {
    if (auto code = reserve(text.size())) return bad(scan_failure(code));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    if (auto code = scanner->stage1(bytes, text.size(), simdjson::stage1_mode::regular)) return bad(scan_failure(code));
    return Grammar(text, scanner->structural_indexes.get(), scanner->n_structural_indexes, onto).run();
  }
};

Parser::Parser() : impl_(std::make_unique<Impl>()) {}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

Result<Node> Parser::parse(std::string_view text) {
  impl_->copy.reserve(text.size() + kPadding);
  impl_->copy.assign(text);
  return parse_padded(impl_->copy);
}

Result<Node> Parser::parse_padded(std::string_view text) {
  impl_->entries.clear();
  MAGI_CHECK(impl_->parse(text, impl_->entries));
  return Node(impl_->entries.data(), 0);
}

Result<std::uint32_t> Parser::parse_onto(Tape& tape, std::string_view text) {
  const std::size_t at = tape.entries_.size();
  if (auto parsed = impl_->parse(text, tape.entries_); !parsed) {
    tape.entries_.resize(at);
    return std::move(parsed.error());
  }
  return static_cast<std::uint32_t>(at);
}

}  // namespace magi::json
