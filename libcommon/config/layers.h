// One settings document over another, as load_settings() lays them.  For the files of this module only.
#pragma once

#include <string>

#include "libcommon/config/key_path.h"
#include "libcommon/config/settings.h"
#include "libcommon/json/value.h"

namespace magi::config {

// Checks every member, stores those that this source may set, then checks the settings as a whole.  kConfig: "<where>:
// <key>: <why>".
Result<void> apply_layer(Settings& settings, Source source, const std::string& where, const json::Value& value);

// Puts the value into the document, or removes what is there where it is null; every other member keeps its place.
Result<void> put(json::Value& document, const KeyPath& path, const json::Value* value, const std::string& where);

}  // namespace magi::config
