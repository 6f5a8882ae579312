// Where comments stand in the working tree now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/magi-code/review/comment.h"

namespace magi::code::review {

struct PlacedComment {
  Comment comment;
  std::optional<std::int64_t> line;  // from 1
  std::string lost_why;              // where there is none: "the file is gone"
};

// Reads the commented files, each once and nothing else: regular files of at most 16 MiB, not through a link in their
// last component.  In the order of paths and lines.  Blocking: disk.
std::vector<PlacedComment> place_comments(std::vector<Comment> comments);

}  // namespace magi::code::review
