// The arguments of a tool: one list of parameters gives the JSON Schema that a model sees and the check of what it
// sends. Strict: an unknown, duplicate, missing or mistyped argument is an error that names it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::toolbox {

enum class Type {
  kString,
  kInteger,  // from 1
  kBoolean,
  kStrings,  // at least one
  kEdits,    // at least one Edit
};

struct Parameter {
  std::string_view name;
  Type type = Type::kString;
  bool required = false;
  std::string_view description;                    // empty where the name says it all
  std::span<const std::string_view> choices = {};  // of a string; empty: any
};

// A text for another, or lines for lines: those from `anchor` to `end_anchor` as read prints them with anchors, or,
// where `insert` is "before" or "after", new ones beside `anchor`.
struct Edit {
  std::string old_text, new_text;
  std::string anchor = {}, end_anchor = {}, insert = {};
};

class Arguments {
 public:
  // `json` is the text as the model produced it; empty stands for no arguments.
  static Result<Arguments> parse(std::string_view json, std::span<const Parameter> parameters);

  // Nothing where the argument is absent.  Requires: the parameter has that type.
  const std::string* text(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  const std::vector<std::string>* texts(std::string_view name) const;
  const std::vector<Edit>* edits(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }

 private:
  // One member holds the value, by the parameter's type.
  struct Entry {
    const Parameter* parameter = nullptr;
    std::string text;
    std::int64_t integer = 0;
    bool flag = false;
    std::vector<std::string> texts;
    std::vector<Edit> edits;
  };
  friend struct ArgumentReader;

  const Entry* find(std::string_view name) const;

  std::vector<Entry> entries_;
};

// The JSON Schema of the parameters: an object that allows nothing else.
std::string parameters_schema(std::span<const Parameter> parameters);

}  // namespace magi::toolbox
