// The only file that includes simdjson.  Its first stage (where values begin, whether the text is UTF-8, whether strings
// are closed and free of control characters) does the scanning; the grammar is walked over its index here, because
// neither of simdjson's own front ends keeps source text, duplicates and lone surrogates.
#include <simdjson.h>

#include <cstring>
#include <vector>

#include "libcommon/json/node.h"

namespace magi::json {
namespace {

static_assert(kPadding >= simdjson::SIMDJSON_PADDING);

Error bad(std::string_view why) { return make_error(ErrorCode::kBadRecord, "not valid JSON: ", why); }

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// The structural scan does not look at escapes, so each is checked here.
bool escapes_are_valid(std::string_view s) {
  std::size_t at = 0;
  while (at < s.size()) {
    const void* hit = std::memchr(s.data() + at, '\\', s.size() - at);
    if (!hit) return true;
    at = static_cast<std::size_t>(static_cast<const char*>(hit) - s.data()) + 1;
    if (at >= s.size()) return false;
    switch (s[at]) {
      case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't':
        ++at;
        break;
      case 'u':
        if (at + 4 >= s.size()) return false;
        for (std::size_t i = 1; i <= 4; ++i)
          if (!is_hex(s[at + i])) return false;
        at += 5;
        break;
      default:
        return false;
    }
  }
  return true;
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
      : text_(text), index_(index), count_(count), entries_(entries) {}

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
    if (!escapes_are_valid(raw.substr(1, raw.size() - 2))) return bad("invalid escape in a string");
    leaf(raw, Kind::kString);
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

  void leaf(std::string_view raw, Kind kind) {
    const auto next = static_cast<std::uint32_t>(entries_.size() + 1);
    entries_.push_back({raw.data(), static_cast<std::uint32_t>(raw.size()), next, kind});
    ++at_;
  }

  std::size_t open(Kind kind) {
    entries_.push_back({here(), 0, 0, kind});
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
  Impl& impl = *impl_;
  impl.entries.clear();
  if (auto code = impl.reserve(text.size())) return bad(scan_failure(code));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  if (auto code = impl.scanner->stage1(bytes, text.size(), simdjson::stage1_mode::regular)) return bad(scan_failure(code));
  Grammar grammar(text, impl.scanner->structural_indexes.get(), impl.scanner->n_structural_indexes, impl.entries);
  MAGI_CHECK(grammar.run());
  return Node(impl.entries.data(), 0);
}

}  // namespace magi::json
