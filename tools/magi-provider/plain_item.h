// An item that only another family of providers understands, in words: what was searched, run or found, so that the
// conversation keeps its sense.  Encrypted and signed parts, ids and bytes are left out.  Pure.
#pragma once

#include <string>

#include "libcommon/json/node.h"

namespace magi::provider {

// Empty where there is nothing to say: reasoning, which belongs to its own model, and items without readable parts.
// At most some 4,000 bytes.
std::string plain_text_of_item(const json::Node& item);

}  // namespace magi::provider
