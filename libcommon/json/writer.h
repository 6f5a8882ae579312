// Printing JSON: appends to a caller's string, no white space, members in the order written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace magi::json {

// Appends "text" with quotes.  Invalid UTF-8 becomes U+FFFD; control characters, quote and backslash are escaped.
void append_quoted(std::string& out, std::string_view text);

// Commas are its business; that begins and ends match is the caller's.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  Writer& begin_object() { separate(); out_ += '{'; first_ = true; return *this; }
  Writer& end_object() { out_ += '}'; first_ = false; return *this; }
  Writer& begin_array() { separate(); out_ += '['; first_ = true; return *this; }
  Writer& end_array() { out_ += ']'; first_ = false; return *this; }
  Writer& key(std::string_view name) { separate(); append_quoted(out_, name); out_ += ':'; first_ = true; return *this; }

  Writer& string(std::string_view text) { separate(); append_quoted(out_, text); return *this; }
  Writer& integer(std::int64_t value);
  Writer& number(double value);  // null where JSON has no such number
  Writer& boolean(bool value) { separate(); out_ += value ? "true" : "false"; return *this; }
  Writer& null() { separate(); out_ += "null"; return *this; }
  // JSON text as it is.  Requires: it is one valid JSON value.
  Writer& raw(std::string_view json) { separate(); out_ += json; return *this; }

 private:
  void separate() { if (!first_) out_ += ','; first_ = false; }

  std::string& out_;
  bool first_ = true;  // nothing precedes the next value within its container
};

}  // namespace magi::json
