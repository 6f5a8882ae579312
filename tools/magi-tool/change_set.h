// Changes of several files that are made together or not at all.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

#include "libcommon/base/result.h"
#include "tools/magi-tool/change.h"

namespace magi::toolbox {

class ChangeSet {
 public:
  struct Step {
    Target target;
    std::optional<std::string> content;  // nothing: the file is removed
    std::optional<mode_t> mode;
  };

  explicit ChangeSet(Call& call) : call_(call) {}

  // kUsage: the set has a change of that file already.
  Result<void> add(Step step);
  const std::vector<Step>& steps() const { return steps_; }

  // Makes the folders that are missing, then publishes one after the other.  An error: what was published before is
  // taken back, and the call's effects hold what could not be.
  Result<void> publish(std::string_view kind);

 private:
  Result<void> publish_all(std::string_view kind);
  // What could not be taken back; empty: all was.
  std::string take_back_all(std::string_view kind);

  Call& call_;
  std::vector<Step> steps_;
  std::vector<struct stat> written_;  // of the first steps, which are published
};

}  // namespace magi::toolbox
