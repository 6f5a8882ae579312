// What a tool's call and answer say, read from their JSON once.
#pragma once

#include <string_view>

#include "tools/magi-code/tui/transcript/card.h"

namespace magi::code::tui {

// Name, arguments, what it is about, and whether it edits a file.
void read_call(ToolFacts& facts, std::string_view name, std::string_view arguments);
// Exit code and signal out of `details`, line numbers out of an edit's output.
void read_answer(ToolFacts& facts, std::string_view details_json, std::string_view output);

// The difference that an edit's arguments describe; null where they describe none.
const DiffText* diff_of(ToolFacts& facts);

struct Argument {
  std::string key, value;
};
// All arguments in their order, but those that the diff shows; one without a key where they are no JSON object.
std::vector<Argument> arguments_of(const ToolFacts& facts);

}  // namespace magi::code::tui
