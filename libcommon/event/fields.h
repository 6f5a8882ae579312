// One field list a record drives both printing and parsing.  A record is a struct with
//     static constexpr std::string_view kType = ...;
//     template <class Self, class V> static void fields(Self& self, V& v) {
//       v.required("call_id", self.call_id);   // parse fails without it
//       v.optional("origin", self.origin);     // left out when empty; kept at its default when absent or null
//     }
// Field types: std::string, signed integers, bool, double, std::optional of those, Raw, records
// (nested objects) and std::vector of any of these.  A field of the wrong JSON kind is an error that names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "libcommon/base/result.h"
#include "libcommon/json/node.h"
#include "libcommon/json/writer.h"

namespace magi::event {

// A JSON value kept as its exact source text; empty means absent.
struct Raw {
  std::string json;
  bool empty() const { return json.empty(); }
  bool operator==(const Raw&) const = default;
};

template <class Record>
void print_fields(json::Writer& out, const Record& record);
template <class Record>
Result<void> parse_fields(const json::Node& object, Record& record);

namespace detail {

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};
template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

template <class T>
bool is_absent(const T& value) {
  if constexpr (is_optional<T>::value)
    return !value.has_value();
  else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Raw> || is_vector<T>::value)
    return value.empty();
  else if constexpr (std::is_same_v<T, bool>)
    return !value;
  else
    return false;
}

template <class T>
void print_value(json::Writer& out, const T& value) {
  if constexpr (is_optional<T>::value) {
    if (value)
      print_value(out, *value);
    else
      out.null();
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.string(value);
  } else if constexpr (std::is_same_v<T, Raw>) {
    out.raw(value.empty() ? std::string_view("null") : std::string_view(value.json));
  } else if constexpr (std::is_same_v<T, bool>) {
    out.boolean(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    out.number(value);
  } else if constexpr (std::is_integral_v<T>) {
    out.integer(value);
  } else if constexpr (is_vector<T>::value) {
    out.begin_array();
    for (const auto& element : value) print_value(out, element);
    out.end_array();
  } else {
    out.begin_object();
    print_fields(out, value);
    out.end_object();
  }
}

// False when the node is of another kind.
template <class T>
bool parse_value(const json::Node& node, T& value) {
  const auto take = [&](auto&& parsed) {
    if (!parsed) return false;
    value = static_cast<T>(std::move(*parsed));
    return true;
  };
  if constexpr (is_optional<T>::value) {
    return parse_value(node, value.emplace());
  } else if constexpr (std::is_same_v<T, std::string>) {
    return take(node.as_string());
  } else if constexpr (std::is_same_v<T, Raw>) {
    value.json = node.raw();
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    return take(node.as_bool());
  } else if constexpr (std::is_floating_point_v<T>) {
    return take(node.as_double());
  } else if constexpr (std::is_integral_v<T>) {
    return take(node.as_int());
  } else if constexpr (is_vector<T>::value) {
    if (!node.is(json::Kind::kArray)) return false;
    value.clear();
    for (const json::Node element : node.elements())
      if (!parse_value(element, value.emplace_back())) return false;
    return true;
  } else {
    return node.is(json::Kind::kObject) && parse_fields(node, value).has_value();
  }
}

struct FieldPrinter {
  json::Writer& out;
  template <class T>
  void required(std::string_view name, const T& value) {
    out.key(name);
    print_value(out, value);
  }
  template <class T>
  void optional(std::string_view name, const T& value) {
    if (!is_absent(value)) required(name, value);
  }
};

struct FieldParser {
  const json::Node& object;
  std::optional<Error> error;
  template <class T>
  void required(std::string_view name, T& value) {
    read(name, value, true);
  }
  template <class T>
  void optional(std::string_view name, T& value) {
    read(name, value, false);
  }

 private:
  template <class T>
  void read(std::string_view name, T& value, bool needed) {
    if (error) return;
    const json::Node node = object.find(name);
    if (!node || node.is(json::Kind::kNull)) {
      if (needed && !std::is_same_v<T, Raw>)
        error = make_error(ErrorCode::kBadRecord, "field ", quoted(name), " is missing");
      return;
    }
    if (!parse_value(node, value))
      error = make_error(ErrorCode::kBadRecord, "field ", quoted(name), " is of the wrong kind");
  }
};

}  // namespace detail

// Requires: the writer stands inside an object.
template <class Record>
void print_fields(json::Writer& out, const Record& record) {
  detail::FieldPrinter printer{out};
  Record::fields(record, printer);
}

template <class Record>
Result<void> parse_fields(const json::Node& object, Record& record) {
  detail::FieldParser parser{object, std::nullopt};
  Record::fields(record, parser);
  if (parser.error) return *std::move(parser.error);
  return {};
}

// {"type":kType,...fields} with LF: one line of a stream.
template <class Record>
void append_record(std::string& out, const Record& record) {
  json::Writer writer(out);
  writer.begin_object().key("type").string(Record::kType);
  print_fields(writer, record);
  writer.end_object();
  out += '\n';
}

template <class Record>
Result<Record> parse_record(const json::Node& object) {
  Record record;
  auto parsed = parse_fields(object, record);
  if (!parsed) return make_error(parsed.error().code, Record::kType, ": ", parsed.error().what);
  return record;
}

// The record's `type`; nothing where it has none.
inline std::optional<std::string> record_type(const json::Node& object) {
  const json::Node type = object.find("type");
  return type ? type.as_string() : std::nullopt;
}

}  // namespace magi::event
