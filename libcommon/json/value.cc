#include "libcommon/json/value.h"

#include <string>

#include "libcommon/base/utf8.h"
#include "libcommon/json/writer.h"

namespace magi::json {
namespace {

// Where a strict reading fails, as line and column (both from 1, columns in code points).
std::string position(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  std::size_t line = 1, line_start = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] == '\n') ++line, line_start = i + 1;
  const std::size_t column = utf8::count(before.substr(line_start)) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// A small recursive reader: Boost.JSON's own keeps the last of duplicate keys without a word and reports no column.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Value> document() {
    if (const std::size_t good = utf8::valid_prefix(text_); good != text_.size()) return fail_at(good, "not UTF-8");
    MAGI_TRY(Value value, read(0));
    skip_space();
    if (at_ != text_.size()) return fail("text after the value");
    return value;
  }

 private:
  Error fail_at(std::size_t offset, std::string_view why) const {
    return make_error(ErrorCode::kBadRecord, position(text_, offset), ": ", why);
  }
  Error fail(std::string_view why) const { return fail_at(at_, why); }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<Value> read(int depth) {
    if (depth > kMaxDepth) return fail("nested too deeply");
    skip_space();
    if (at_ >= text_.size()) return fail("a value is missing");
    if (text_[at_] == '{') return object(depth);
    if (text_[at_] == '[') return array(depth);
    return leaf();
  }

  Result<Value> object(int depth) {
    ++at_;
    Object object;
    if (take('}')) return Value(std::move(object));
    while (true) {
      skip_space();
      const std::size_t key_at = at_;
      if (at_ >= text_.size() || text_[at_] != '"') return fail("a key in double quotes is missing");
      MAGI_TRY(Value key, leaf());
      if (object.contains(key.as_string())) return fail_at(key_at, "duplicate key " + quoted(key.as_string()));
      if (!take(':')) return fail("a colon is missing");
      MAGI_TRY(Value value, read(depth + 1));
      object.emplace(key.as_string(), std::move(value));
      if (take('}')) return Value(std::move(object));
      if (!take(',')) return fail("a comma or '}' is missing");
    }
  }

  Result<Value> array(int depth) {
    ++at_;
    Array array;
    if (take(']')) return Value(std::move(array));
    while (true) {
      MAGI_TRY(Value value, read(depth + 1));
      array.push_back(std::move(value));
      if (take(']')) return Value(std::move(array));
      if (!take(',')) return fail("a comma or ']' is missing");
    }
  }

  // A string, number or word; the bulk parser decides whether it is one.
  Result<Value> leaf() {
    const std::size_t begin = at_;
    if (text_[at_] == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
        if (text_[at_] == '\\') ++at_;
      if (at_ >= text_.size()) return fail_at(begin, "a string is not closed");
      ++at_;
    } else {
      while (at_ < text_.size() && std::string_view(" \t\r\n,:]}").find(text_[at_]) == std::string_view::npos) ++at_;
    }
    auto node = parser_.parse(text_.substr(begin, at_ - begin));
    if (!node) return fail_at(begin, "not a JSON value");
    return to_value(*node);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Parser parser_;
};

void print_to(std::string& out, const Value& value, int indent) {
  const auto line = [&](int level) { out += '\n'; out.append(static_cast<std::size_t>(level) * 2, ' '); };
  const bool pretty = indent >= 0;
  const int inner = pretty ? indent + 1 : -1;
  if (const Object* object = value.if_object()) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : *object) {
      if (!first) out += ',';
      first = false;
      if (pretty) line(inner);
      append_quoted(out, key);
      out += pretty ? ": " : ":";
      print_to(out, member, inner);
    }
    if (pretty && !object->empty()) line(indent);
    out += '}';
  } else if (const Array* array = value.if_array()) {
    out += '[';
    bool first = true;
    for (const Value& element : *array) {
      if (!first) out += ',';
      first = false;
      if (pretty) line(inner);
      print_to(out, element, inner);
    }
    if (pretty && !array->empty()) line(indent);
    out += ']';
  } else if (const auto* text = value.if_string()) {
    append_quoted(out, *text);
  } else if (const auto* signed_value = value.if_int64()) {
    out += std::to_string(*signed_value);
  } else if (const auto* unsigned_value = value.if_uint64()) {
    out += std::to_string(*unsigned_value);
  } else if (const auto* real = value.if_double()) {
    Writer(out).number(*real);
  } else if (const auto* truth = value.if_bool()) {
    out += *truth ? "true" : "false";
  } else {
    out += "null";
  }
}

}  // namespace

Result<Value> parse_value(std::string_view text) { return Reader(text).document(); }

Value to_value(const Node& node) {
  switch (node.kind()) {
    case Kind::kNull: return nullptr;
    case Kind::kBoolean: return *node.as_bool();
    case Kind::kString: return Value(std::string_view(*node.as_string()));
    case Kind::kNumber:
      if (const auto whole = node.as_int()) return *whole;
      return node.as_double().value_or(0);
    case Kind::kArray: {
      Array array;
      for (const Node element : node.elements()) array.push_back(to_value(element));
      return array;
    }
    case Kind::kObject: {
      Object object;
      for (const Node::Member member : node.members()) object[member.key()] = to_value(member.value);
      return object;
    }
  }
  return nullptr;
}

std::string print(const Value& value) {
  std::string out;
  print_to(out, value, -1);
  return out;
}

std::string print_indented(const Value& value) {
  std::string out;
  print_to(out, value, 0);
  return out += '\n';
}

}  // namespace magi::json
