// A settings file as a document: read with suspicion, written whole.  For the files of this module only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcommon/base/result.h"
#include "libcommon/json/value.h"

namespace magi::config {

enum class Owner {
  kUser,    // the user's own file: nobody else may be able to write it; links are followed, as dotfiles are often links
  kAnyone,  // a file of a project, which may be hostile: not followed if it is a link
};

struct Document {
  std::string path;
  json::Value value;
  bool empty = false;  // nothing but white space
  std::uint64_t device = 0, inode = 0;
};

// Nothing where there is no such file.  Errors are kConfig and begin with the path.
Result<std::optional<Document>> read_document(const std::string& path, Owner owner);

// Replaces the file durably, mode 0600; where `path` is a link, what it points to.  Makes the folder if need be.
Result<void> write_document(const std::string& path, const json::Value& value);

}  // namespace magi::config
