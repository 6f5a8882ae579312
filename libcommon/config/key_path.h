// The name of a setting: agent.context.model_overrides["openai/gpt-5.1"].max_tokens
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/result.h"

namespace magi::config {

using KeyPath = std::vector<std::string>;

// A segment that is no plain word stands as ["..."], with \" and \\ inside.
std::string print_key_path(const KeyPath& path);

// Dotted words, and ["..."] for any other segment.  Error: kUsage.
Result<KeyPath> parse_key_path(std::string_view text);

}  // namespace magi::config
