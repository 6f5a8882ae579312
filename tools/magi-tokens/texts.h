// Plain texts, all in o200k_base: files, or standard input where none is named.  A file that cannot be read is reported
// and makes the exit status 1; the others are dealt with.
#pragma once

#include <string_view>

#include "libcommon/base/result.h"
#include "tools/magi-tokens/measure.h"

namespace magi::measure {

// --text: a line a file, like wc.
Result<int> count_texts(const Options& options, std::string_view name);
// --ids: the IDs of each text on a line.
Result<int> print_ids(const Options& options, std::string_view name);
// --decode: the bytes of IDs.
Result<int> decode_ids(const Options& options, std::string_view name);
// --truncate: the longest prefix within a number of tokens.
Result<int> truncate_text(const Options& options, std::string_view name);

}  // namespace magi::measure
