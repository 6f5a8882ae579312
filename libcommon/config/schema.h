// The JSON Schema of settings files, made from the table of keys: editors complete and check with it.
#pragma once

#include <string>

#include "libcommon/base/result.h"

namespace magi::config {

// Draft 2020-12; indented text with a final LF.
std::string settings_schema();

// Writes it to `file` (session::Home::settings_schema()) unless the same text stands there already.  Makes the folder;
// not synced.  Callers ignore errors: the file is a convenience.
Result<void> refresh_schema(const std::string& file);

}  // namespace magi::config
