// Small text files of the user and of repositories, read with suspicion.
#pragma once

#include <cstddef>
#include <string>

#include "libcommon/base/result.h"

namespace magi::code {

enum class Links {
  kFollow,  // the user's own file
  kRefuse,  // a repository's: a link could name any file of the user's
};

// The text of a regular file, cut to `most_bytes` with a word about it.  Never blocks on pipes or devices.  kNotFound
// where there is none; kUnsafe for a link that is refused and for what is no regular file.
Result<std::string> read_text_file(const std::string& path, std::size_t most_bytes, Links links);

// The same below `folder`, of whose own path links are followed: no part of `relative` may be a link, or "..".
Result<std::string> read_text_below(const std::string& folder, const std::string& relative, std::size_t most_bytes);

}  // namespace magi::code
