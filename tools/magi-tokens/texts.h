// magi-tokens --text: plain files counted like wc.
#pragma once

#include <string_view>

#include "libcommon/base/result.h"
#include "tools/magi-tokens/measure.h"

namespace magi::measure {

// stdin where no file is named.  A file that cannot be read is reported and makes the exit status 1; the others count.
Result<int> count_texts(const Options& options, std::string_view name);

}  // namespace magi::measure
