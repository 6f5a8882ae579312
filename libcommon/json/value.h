// A mutable JSON value, for settings and requests that are built or edited: Boost.JSON behind our own error type.
// Bulk reading is node.h's job.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

#include "libcommon/base/result.h"
#include "libcommon/json/node.h"

namespace magi::json {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;

// Strict: one value, no comments, no trailing commas; a duplicate key is refused.  Errors name line and column.
Result<Value> parse_value(std::string_view text);

// A tree of its own, the last of duplicate keys winning, lone surrogates as U+FFFD.
Value to_value(const Node& node);

// Compact; indented with two spaces a level and a final newline for files that people edit.
std::string print(const Value& value);
std::string print_indented(const Value& value);

}  // namespace magi::json
