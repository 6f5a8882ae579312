// The table of settings, for the files of this module only: parsing, checks, warnings and the JSON Schema are driven by
// it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/config/key_path.h"
#include "libcommon/config/settings.h"
#include "libcommon/json/value.h"

namespace magi::config {

enum class Kind { kBoolean, kInteger, kIntegerOrNull, kText, kTexts };  // kTexts: a list

// What a text must look like, beyond having no control characters.
enum class Form { kAny, kUrl, kVariable, kProviderId, kChoice };

enum class Scope {
  kUser,     // the user's own settings only
  kTrusted,  // a project's too, once the user has trusted that exact content
  kProjectToo,
};

// The parts of a key that stand for a name, in order: a provider's, a model's, a header's.
using Names = std::vector<std::string>;

struct Key {
  std::string_view path;  // dotted; "*" stands for a name
  Kind kind;
  Scope scope;
  void (*store)(Settings&, const Names&, const json::Value&);  // Requires: the value passed check_value()
  std::string_view standard;                                   // default as JSON text; empty where there is none
  std::string_view meaning;                                    // one sentence for the schema
  std::int64_t least = 0, most = 0;                            // integers, both included
  Form form = Form::kAny;
  std::string_view choices = {};  // "a|b" for Form::kChoice
};

struct KeyTable {
  const Key* first;
  const Key* last;
  const Key* begin() const { return first; }
  const Key* end() const { return last; }
};
KeyTable keys();

std::vector<std::string_view> split(std::string_view text, char separator);

// "" or why the value is refused, with what is allowed.
std::string check_value(const Key& key, const json::Value& value);

// The same for the names that stand for the "*" of the key's path.
std::string check_names(const Key& key, const Names& names);

// Rules between keys, over the settings as a whole: "" or "<key>: <why>".
std::string check_together(const Settings& settings);

}  // namespace magi::config
