// Reading JSON in bulk: a line is validated whole, then walked in place.  simdjson does the scanning; what it does not
// offer is ours: objects are walked in source order so that the last duplicate wins, every value keeps its exact source
// text, and lone surrogates are decoded to U+FFFD instead of being refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::json {

enum class Kind : std::uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };

// Deepest nesting that is read; beyond it a text is refused.
inline constexpr int kMaxDepth = 256;
// Most values and keys that one text may hold: an entry costs twelve times what the shortest value does.
inline constexpr std::size_t kMaxValues = 8u << 20;

// One value of a parsed text.  Entries stand in source order; an object's entries alternate key, value.
struct Entry {
  const char* begin;      // source text of the value, quotes included
  std::uint32_t size;     // bytes of source text
  std::uint32_t next;     // index behind this value and all that it holds
  Kind kind;
  bool has_escape;          // a string with a backslash in it
  bool has_unicode_escape;  // ... with \uXXXX in it
};

// A handle to a value; falsy when there is none.  Valid while its Parser has not parsed again and, as it points into
// the text that was parsed, while that text lives.
class Node {
 public:
  Node() = default;
  explicit operator bool() const { return entries_ != nullptr; }
  Kind kind() const { return entry().kind; }
  bool is(Kind kind) const { return entries_ && entry().kind == kind; }
  // The exact source text.
  std::string_view raw() const { return {entry().begin, entry().size}; }

  // Nothing where the value is of another kind (or, for numbers, does not fit).
  std::optional<std::string> as_string() const;
  std::optional<std::int64_t> as_int() const;
  std::optional<double> as_double() const;
  std::optional<bool> as_bool() const;
  // Source text between the quotes, escapes untouched.  Requires: is(Kind::kString).
  std::string_view raw_string() const { return raw().substr(1, entry().size - 2); }
  // False: the raw string is its text.
  bool has_escape() const { return entry().has_escape; }
  // False: the raw string holds no \uXXXX, so no lone surrogate either, and may be copied as it is.
  bool has_unicode_escape() const { return entry().has_unicode_escape; }

  // The value of the last member named `key`; falsy when absent or when this is not an object.
  Node find(std::string_view key) const;

  struct Member;
  class Members;
  class Elements;
  Members members() const;    // empty unless this is an object
  Elements elements() const;  // empty unless this is an array

 private:
  friend class Parser;
  friend class Tape;
  Node(const Entry* entries, std::uint32_t index) : entries_(entries), index_(index) {}
  const Entry& entry() const { return entries_[index_]; }
  std::uint32_t end() const { return entry().next; }

  const Entry* entries_ = nullptr;
  std::uint32_t index_ = 0;
};

struct Node::Member {
  Node key_node;
  Node value;
  // True when the decoded key equals `key`.
  bool is(std::string_view key) const {
    return key_node.has_escape() ? key_node.as_string() == key : key_node.raw_string() == key;
  }
  std::string key() const { return *key_node.as_string(); }
};

class Node::Members {
 public:
  class iterator {
   public:
    iterator(const Entry* entries, std::uint32_t at) : entries_(entries), at_(at) {}
    Member operator*() const { return {Node(entries_, at_), Node(entries_, at_ + 1)}; }
    iterator& operator++() { at_ = entries_[at_ + 1].next; return *this; }
    bool operator!=(const iterator& other) const { return at_ != other.at_; }

   private:
    const Entry* entries_;
    std::uint32_t at_;
  };
  Members(const Entry* entries, std::uint32_t first, std::uint32_t last) : entries_(entries), first_(first), last_(last) {}
  iterator begin() const { return {entries_, first_}; }
  iterator end() const { return {entries_, last_}; }

 private:
  const Entry* entries_;
  std::uint32_t first_, last_;
};

class Node::Elements {
 public:
  class iterator {
   public:
    iterator(const Entry* entries, std::uint32_t at) : entries_(entries), at_(at) {}
    Node operator*() const { return Node(entries_, at_); }
    iterator& operator++() { at_ = entries_[at_].next; return *this; }
    bool operator!=(const iterator& other) const { return at_ != other.at_; }

   private:
    const Entry* entries_;
    std::uint32_t at_;
  };
  Elements(const Entry* entries, std::uint32_t first, std::uint32_t last) : entries_(entries), first_(first), last_(last) {}
  iterator begin() const { return {entries_, first_}; }
  iterator end() const { return {entries_, last_}; }

 private:
  const Entry* entries_;
  std::uint32_t first_, last_;
};

// Bytes that must be readable behind a text handed to parse_padded().
inline constexpr std::size_t kPadding = 64;

// The values of many texts, kept together.
class Tape {
 public:
  // What parse_onto() returned.  Valid until the next parse_onto() or clear(), and while its text lives.
  Node node(std::uint32_t at) const { return Node(entries_.data(), at); }
  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }

 private:
  friend class Parser;
  std::vector<Entry> entries_;
};

// Reusable; keeps its buffers between texts.  Not thread-safe.
class Parser {
 public:
  Parser();
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  // One JSON value with optional white space around it and nothing else.  Error: kBadRecord with the reason.
  // `text` is copied into the parser's own buffer and the nodes point there: it need not outlive the call.
  Result<Node> parse(std::string_view text);
  // The same without the copy.  Requires: kPadding readable bytes behind `text`, and `text` outlives the nodes.
  Result<Node> parse_padded(std::string_view text);
  // The same, its values behind those that `tape` holds.  Returns where they begin.
  Result<std::uint32_t> parse_onto(Tape& tape, std::string_view text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Decodes the text between the quotes of a valid JSON string; a lone surrogate becomes U+FFFD.
void append_unescaped(std::string& out, std::string_view raw_string);

// True when a valid raw string holds an escape of half a surrogate pair; without one it may be copied as it is.
bool has_lone_surrogate(std::string_view raw_string);

// The raw string with each escape of a lone surrogate replaced by U+FFFD, everything else as it was.
void append_without_lone_surrogates(std::string& out, std::string_view raw_string);

// A whole JSON value with the white space between its tokens left out and lone surrogates replaced.
void append_compact(std::string& out, std::string_view raw_value);

// Code points that a valid raw string decodes to; half a surrogate pair counts as one.
std::size_t count_characters(std::string_view raw_string);

// Source bytes of the first `characters` code points; no escape and no pair is cut.
std::size_t prefix_bytes(std::string_view raw_string, std::size_t characters);

}  // namespace magi::json
