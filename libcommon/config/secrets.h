// Keeps keys and tokens out of settings: a file that people copy, publish and hand to projects.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/json/value.h"

namespace magi::config {

// "" or "<key>: <why>" for the first member whose name says that it holds a secret, or whose text has the shape of one.
std::string secret_in(const json::Value& document);

// The name of a member or header that would hold a secret: "api_key", "GITHUB-TOKEN", "Authorization".
bool is_secret_name(std::string_view name);

}  // namespace magi::config
